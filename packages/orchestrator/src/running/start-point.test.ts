import { afterAll, beforeAll, expect, it } from "vitest";
import { TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { newTask } from "../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import type { LoopRepository } from "../git/repository.ts";
import { findStart } from "./start-point.ts";
import { openWork, type Work } from "./work.ts";

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
});

afterAll(() => place.remove());

it("what a run begins with is pinned, also where its sleeping holder pins something else afterwards", async () => {
  const files = { "a/x": "1\n" };
  const settings = { environment: "host" } as const;
  const loop = await TemporaryJudgedLoop.begin(place, { files, tasks: [newTask("a")], settings });
  const asleep = await opened(loop);
  const { baseOid } = await loop.row();
  const tip = loop.commit(baseOid ?? "", { "b/y": "2\n" });
  await place.database.query("update loops set branch_oid = $2 where id = $1", [loop.id, tip]);
  const awake = await opened(loop);
  expect(awake.run.id, "it is the same run").toBe(asleep.run.id);

  let decided: Awaited<ReturnType<typeof findStart>> | undefined;
  const repository = sleepsBeforePins(asleep.repository, async () => {
    decided = await findStart(awake);
  });
  const late = await findStart({ ...asleep, repository });
  expect(decided).toMatchObject({ base: tip, start: tip });
  expect(late, "the first one's is everybody's").toEqual(decided);
  const pins = await loop.repository.pins(loop.id);
  expect([pins.get("task-1/base"), pins.get("task-1/start")]).toEqual([tip, tip]);
  loop.remove();
});

/** Whoever takes the stage over next. */
async function opened(loop: TemporaryJudgedLoop): Promise<Work> {
  return openWork(place, await loop.claim(1), new AbortController().signal);
}

/** The same repository, for a process that is stopped just before it pins anything, while others go on. */
function sleepsBeforePins(repository: LoopRepository, meanwhile: () => Promise<void>): LoopRepository {
  let slept: Promise<void> | undefined;
  return new Proxy(repository, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "pin") return value.bind(target);
      return async (...words: Parameters<LoopRepository["pin"]>) => {
        slept ??= meanwhile();
        await slept;
        await target.pin(...words);
      };
    },
  });
}
