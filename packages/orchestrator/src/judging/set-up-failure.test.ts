import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OrchestratorError } from "../errors.ts";
import { TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { timeIsUp } from "../project/setup.ts";
import { type JudgementRow, lastJudgement } from "../state/judgements.ts";
import { judgeStage } from "./judge-stage.ts";
import { setUpFault } from "./set-up-failure.ts";

let place: TemporaryPlace;
let loop: TemporaryJudgedLoop;

const lock = (word: string): string => JSON.stringify({ name: word, lockfileVersion: 3, packages: {} });

beforeAll(async () => {
  place = await temporaryPlace();
  const unavailable = "npm error 503 Service Unavailable - GET https://registry.example.test/away";
  const setup = [
    'test ! -e "$SIGNS/broken"',
    `! grep -q away package-lock.json || { echo "${unavailable}"; exit 1; }`,
    "! grep -q wrong package-lock.json || { echo out of sync; exit 1; }",
  ];
  const project = { setup, verify: ["true"], env: { SIGNS: place.folder } };
  const task = { role: "worker", instructions: "Do it.", needs: [], allowedPaths: [] } as const;
  loop = await TemporaryJudgedLoop.begin(place, {
    files: {
      "opentiger.json": JSON.stringify(project),
      "package.json": "{}",
      "package-lock.json": lock("x"),
    },
    settings: { environment: "host" },
    tasks: ["Wrong", "Away", "Any"].map((title) => ({ ...task, title })),
  });
});

afterAll(async () => {
  loop.remove();
  await place.remove();
});

it("a set-up that fails on what the candidate asks for speaks against it", async () => {
  const judged = await judge(1, { "package-lock.json": lock("wrong") });
  expect(judged).toMatchObject({ judgement: "fail", points: [{ by: "verify" }] });
  expect(judged?.points[0]?.text).toContain("out of sync");
});

it("one that could not reach what it needs says nothing of the candidate", async () => {
  const judged = await judge(2, { "package-lock.json": lock("away") });
  expect(judged).toMatchObject({ judgement: "inconclusive", points: [] });
  expect(judged?.evidence.trouble).toContain("503 Service Unavailable");
});

it.each([
  `failed, ${timeIsUp}: npm http fetch`,
  "failed, it ended with status 1: npm error code EAI_AGAIN",
  "failed, it ended with status 1: connect ECONNREFUSED 127.0.0.1:443",
  "failed, it ended with status 1: [Errno -3] Temporary failure in name resolution",
  "failed, it ended with status 1: Get https://proxy.example.test: 502 Bad Gateway",
])("nor is it at fault where a set-up %s", (how) => {
  expect(setUpFault(new OrchestratorError("setup_failed", `npm ci ${how}`))).toBeUndefined();
});

it("nor does that of the branch, whatever it fails of", async () => {
  // Nobody knows how the checks stand there, so that it has to be set up.
  await place.database.query("delete from baselines");
  const sign = join(place.folder, "broken");
  writeFileSync(sign, "");
  const judged = await judge(3, { "src/any.js": "export {};\n" });
  rmSync(sign);
  expect(judged).toMatchObject({ judgement: "inconclusive", points: [] });
  expect(judged?.evidence.trouble).toContain("the branch");
});

async function judge(
  number: number,
  edits: Readonly<Record<string, string>>,
): Promise<JudgementRow | undefined> {
  await loop.submit(number, edits);
  await judgeStage(place, await loop.claim(number), new AbortController().signal);
  return lastJudgement(place.database, (await loop.task(number)).id);
}
