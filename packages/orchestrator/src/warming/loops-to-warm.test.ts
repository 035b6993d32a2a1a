import type { LoopSettings } from "@opentiger/schema";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  planned,
  plannedLoop,
  type TemporaryLoopPlace,
  temporaryLoopPlace,
} from "../fixture/temporary-loop-place.ts";
import { cancelLoop } from "../loops/cancel-loop.ts";
import { pauseLoop } from "../loops/pause-loop.ts";
import { startLoop } from "../loops/start-loop.ts";
import { loopsToWarm, type ToWarmRequest } from "./loops-to-warm.ts";

let place: TemporaryLoopPlace;

beforeAll(async () => {
  place = await temporaryLoopPlace();
});

afterEach(() => place.database.query("truncate loops cascade"));

afterAll(() => place.remove());

const usual: ToWarmRequest = { size: 4, usual: "sandbox", approve: "no" };

async function open(request: Partial<ToWarmRequest> = {}): Promise<[string, number][]> {
  const found = await loopsToWarm(place.database, { ...usual, ...request });
  return found.map(({ loop, open: count }) => [loop.id, count]);
}

/** As the plan stage does when it has brought the base in. */
async function based(loop: string): Promise<void> {
  await place.database.query("update loops set base_oid = 'base', branch_oid = 'base' where id = $1", [loop]);
}

async function running(keys: readonly string[], settings: Partial<LoopSettings> = {}): Promise<string> {
  const tasks = keys.map((key) => planned(key));
  const { loop } = await plannedLoop(place, tasks, { settings });
  await based(loop.id);
  return loop.id;
}

describe("loops that are going to need sandboxes", () => {
  it("are those with tasks that nobody has begun, with no more than may be made", async () => {
    const one = await running(["a"]);
    const many = await running(["a", "b", "c", "d", "e", "f"]);
    expect(await open()).toEqual([
      [one, 1],
      [many, 4],
    ]);
    expect(await open({ size: 1 })).toEqual([[one, 1]]);
  });

  it("are not those that work on the host, nor any where none may be made", async () => {
    const here = await running(["a"], { environment: "sandbox" });
    await running(["a"], { environment: "host" });
    expect(await open()).toEqual([[here, 1]]);
    const silent = await running(["a"]);
    expect(await open({ usual: "host" })).toEqual([[here, 1]]);
    expect((await open()).map(([id]) => id)).toContain(silent);
    expect(await open({ size: 0 })).toEqual([]);
  });

  it("are no longer those that were paused, have ended or have nothing to begin", async () => {
    const paused = await running(["a"]);
    const cancelled = await running(["a"]);
    await pauseLoop(place.database, paused);
    await cancelLoop(place.database, cancelled);
    const done = await running(["a"]);
    await place.database.query("update stages set state = 'ended' where loop_id = $1", [done]);
    expect(await open()).toEqual([]);
  });

  it("are those that are being planned, once it is known where they begin and if nobody has to look first", async () => {
    const start = async (settings: Partial<LoopSettings>) => {
      const loop = await startLoop(place, {
        repository: { path: place.instance.home },
        requirement: "All of it.",
        source: { kind: "stories", file: null, summary: "", tasks: [planned("a"), planned("b")] },
        settings: { agents: {}, dryRun: false, project: {}, ...settings },
      });
      return loop.id;
    };
    const loop = await start({});
    const looked = await start({ approve: true });
    const dry = await start({ dryRun: true });
    expect(await open()).toEqual([]);
    for (const id of [loop, looked, dry]) await based(id);
    expect(await open()).toEqual([[loop, 2]]);
    expect(await open({ approve: "yes" })).toEqual([]);
  });
});
