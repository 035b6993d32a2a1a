import { afterAll, beforeAll, expect, it } from "vitest";
import { TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { mergeStage } from "../merging/merge-stage.ts";
import { listJudgements } from "../state/judgements.ts";
import { openStage } from "../state/stages.ts";
import { judgeStage } from "./judge-stage.ts";

const never = new AbortController().signal;
let place: TemporaryPlace;
let loop: TemporaryJudgedLoop;

beforeAll(async () => {
  place = await temporaryPlace();
  const task = { role: "worker", instructions: "Do it.", needs: [], allowedPaths: [] } as const;
  loop = await TemporaryJudgedLoop.begin(place, {
    files: { "README.md": "empty\n" },
    settings: { environment: "host" },
    tasks: ["One", "Nothing", "The same as one"].map((title) => ({ ...task, title })),
  });
});

afterAll(async () => {
  loop.remove();
  await place.remove();
});

it("a candidate without any change, or whose change the branch has already, is never passed, and so never merged", async () => {
  const base = await loop.start(1);
  await loop.submit(1, { "one.txt": "1\n" });
  await loop.pass(1);
  await mergeStage(place, await loop.claim(1), never);
  const { branchOid } = await loop.row();
  await loop.submit(2, {});
  await loop.submit(3, { "one.txt": "1\n" }, { on: base });
  for (const number of [2, 3]) {
    await judgeStage(place, await loop.claim(number), never);
    const { id, state } = await loop.task(number);
    const { items } = await listJudgements(place.database, { task: id });
    expect(items).toMatchObject([{ judgement: "inconclusive", evidence: { trouble: "it changes nothing" } }]);
    expect(state).toBe("blocked(awaiting_judge)");
    expect((await openStage(place.database, id))?.kind, "there is nothing to be merged").toBe("judge");
  }
  expect((await loop.row()).branchOid).toBe(branchOid);
  expect(await loop.shown()).toEqual(["One"]);
});
