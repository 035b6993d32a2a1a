import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { listJudgements } from "../state/judgements.ts";
import { judgeStage } from "./judge-stage.ts";

const never = new AbortController().signal;
let place: TemporaryPlace;
let loop: TemporaryJudgedLoop;

/** On the branch it takes for ever while the machine is busy; without the file it is red, and at once. */
const busy = 'test -e one.txt || exit 1; while test -e "$SIGNS/busy"; do sleep 0.05; done';

beforeAll(async () => {
  place = await temporaryPlace();
  await place.config.patch({ OPENTIGER_VERIFY_TIMEOUT: "5s" }, "test");
  const project = { setup: [], verify: ["true", busy], env: { SIGNS: place.folder } };
  loop = await TemporaryJudgedLoop.begin(place, {
    files: { "opentiger.json": JSON.stringify(project), "one.txt": "1\n" },
    settings: { environment: "host" },
    tasks: [{ title: "One", role: "worker", instructions: "Do it.", needs: [], allowedPaths: [] }],
  });
});

afterAll(async () => {
  loop.remove();
  await place.remove();
});

it("a check that took too long on the branch excuses nobody, and is run again for the next judgement", async () => {
  writeFileSync(join(place.folder, "busy"), "");
  await loop.submit(1, { "one.txt": null });
  await judgeStage(place, await loop.claim(1), never);
  rmSync(join(place.folder, "busy"));
  await place.config.patch({ OPENTIGER_VERIFY_TIMEOUT: null }, "test");
  await judgeStage(place, await loop.claim(1), never);
  const { items } = await listJudgements(place.database, { task: (await loop.task(1)).id });
  expect(items).toMatchObject([
    {
      judgement: "inconclusive",
      evidence: { trouble: expect.stringMatching(/before.*longer than it may/), redBefore: [] },
    },
    { judgement: "fail", points: [{ by: "verify", text: expect.stringContaining(busy) }] },
  ]);
});
