import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sandboxd, sandboxUsage } from "@opentiger/sandboxd";
import { loopSettings } from "@opentiger/schema";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failStage } from "../dispatch/fail-stage.ts";
import { claimed, claimOf, newLoop, newTask, submit } from "../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import type { Place } from "../place.ts";
import { claimStage } from "../state/claims.ts";
import type { Lease } from "../state/lease.ts";
import { createLoop, findLoop } from "../state/loops.ts";
import { ensureRepository } from "../state/repositories.ts";
import { findRun, noteRun, type RunRow, startRun } from "../state/runs.ts";
import { agentCalled } from "./agent-choice.ts";
import { countedByGateway, openGateway } from "./gateway.ts";

let place: TemporaryPlace;
let workspace: string;

beforeAll(async () => {
  place = await temporaryPlace();
  workspace = mkdtempSync(join(tmpdir(), "opentiger-ws-"));
  // So that nobody has to be logged in.
  await place.config.patch({ SANDBOX_CREDENTIALS: "none" }, "test");
});

beforeEach(async () => {
  await place.database.query("truncate loops, repositories cascade");
});

afterAll(async () => {
  await place.remove();
  rmSync(workspace, { recursive: true, force: true });
});

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const used = { input: 700, output: 20, cacheRead: 3, cacheWrite: 0 };

/** One whose gateway has counted this for every run that it is asked about. */
class CountingSandboxd extends Sandboxd {
  readonly asked: string[] = [];

  override async ask<T>(...[{ path }, shape]: Parameters<typeof Sandboxd.prototype.ask<T>>): Promise<T> {
    this.asked.push(path);
    const rest = { refused: 0, unpriced: 0, unpricedModel: null, estimated: 0, firstAt: null, lastAt: null };
    const totals = { ...rest, requests: 2, tokens: { ...used, cacheWriteHour: 0 }, usd: 0.25 };
    return shape.parse({ totals, budget: null });
  }
}

const counting = (): Place & { sandboxd: CountingSandboxd } => ({
  ...place,
  sandboxd: new CountingSandboxd(place.env),
});

async function planning(): Promise<Lease> {
  const repository = await ensureRepository(place.database, { path: "/repository", name: "repository" });
  const about = {
    requirement: "More.",
    source: { kind: "prose" },
    settings: loopSettings.parse({}),
  } as const;
  await createLoop(place.database, { repository: repository.id, ...about });
  return claimed(claimStage(place.database, claimOf("me")));
}

async function judging(): Promise<Lease> {
  await newLoop(place.database, [newTask("a")]);
  await submit(place.database, await claimed(claimStage(place.database, claimOf("me"))));
  return claimed(claimStage(place.database, claimOf("judge")));
}

async function begun(lease: Lease, role: "planner" | "judge"): Promise<RunRow> {
  const run = await startRun(place.database, lease, { agent: "codex", role });
  if (!run) throw new Error("the lease is over");
  return run;
}

describe("what a run has used that ends without a result", () => {
  it.each([
    ["planner", planning],
    ["judge", judging],
  ] as const)("is what the gateway counted, of a %s too", async (role, leased) => {
    const lease = await leased();
    const run = await begun(lease, role);
    await noteRun(place.database, lease, run.id, { transcript: "/transcript" });
    await failStage(counting(), lease, new Error("it broke"));
    expect(await findRun(place.database, run.id)).toMatchObject({ state: "failed", tokens: used, usd: 0.25 });
  });

  it("is nothing where no agent was started, and nobody is asked", async () => {
    const run = await begun(await judging(), "judge");
    const { sandboxd, ...rest } = counting();
    expect(await countedByGateway({ ...rest, sandboxd }, run)).toEqual({});
    expect(sandboxd.asked).toEqual([]);
  });
});

describe("a judge that is asked piece by piece", () => {
  it("may use all that is left for each, and not what is left but what it used itself", async () => {
    const lease = await judging();
    await place.database.query(
      `update loops set settings = settings || '{"budget": {"tokens": 1000, "usd": 3}}'`,
    );
    const run = await begun(lease, "judge");
    const loop = await findLoop(place.database, lease.loop);
    if (!loop) throw new Error("there is no loop");
    const host = await place.backend("host");
    const workspaces = [{ path: workspace, readOnly: false }];
    const sandbox = await host.create({ name: "judge", agent: "shell", workspaces });
    const choice = agentCalled(place, { agent: "claude_code", model: null });
    const limit = async () => {
      await openGateway(place, { loop, run, sandbox, choice });
      const question = { method: "GET", path: `/runs/${run.id}/usage` } as const;
      return (await place.sandboxd.ask(question, sandboxUsage)).budget;
    };
    expect(await limit()).toEqual({ tokens: 1_000, usd: 3 });
    await noteRun(place.database, lease, run.id, { tokens: { ...none, input: 600 }, usd: 1 });
    expect(await limit(), "the gateway has counted 600 of them for this run").toEqual({
      tokens: 1_000,
      usd: 3,
    });
    await sandbox.close();
  });
});
