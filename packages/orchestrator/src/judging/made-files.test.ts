import { afterAll, beforeAll, expect, it } from "vitest";
import { TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { openJudging } from "./judging.ts";
import { runRound } from "./rounds.ts";

const never = new AbortController().signal;
const check = { command: "sh kit/runner" };
let place: TemporaryPlace;
let loop: TemporaryJudgedLoop;

beforeAll(async () => {
  place = await temporaryPlace();
  const project = { setup: ["mkdir -p kit && cp tools/runner kit/runner"], verify: [check] };
  const task = { role: "worker", instructions: "Do it.", needs: [], allowedPaths: [] } as const;
  loop = await TemporaryJudgedLoop.begin(place, {
    files: {
      "opentiger.json": JSON.stringify(project),
      "tools/runner": "grep good src/code\n",
      "src/code": "good\n",
    },
    settings: { environment: "host" },
    tasks: [
      { ...task, title: "Replaces" },
      { ...task, title: "May", mayChange: ["kit/runner"] },
      { ...task, title: "Has another" },
    ],
  });
});

afterAll(async () => {
  loop.remove();
  await place.remove();
});

const judged = async (task: number, edits: Readonly<Record<string, string>>) => {
  const commit = await loop.submit(task, edits);
  const judging = await openJudging(place, await loop.claim(task), never);
  const round = { part: "checks", tree: "as_is", commands: [check], isSetUpAgain: false } as const;
  return runRound(judging, { ...round, commit });
};

it("a program that the set-up makes cannot be replaced by one that is committed", async () => {
  await expect(judged(1, { "src/code": "bad\n", "kit/runner": "exit 0\n" })).rejects.toMatchObject({
    code: "setup_failed",
    message: expect.stringMatching(/kit\/runner/),
  });
});

it("unless the plan lists it, or it is another one", async () => {
  const passed = { results: [{ result: "passed" }] };
  expect(await judged(2, { "kit/runner": "exit 0\n" })).toMatchObject(passed);
  expect(await judged(3, { "kits/runner": "exit 0\n" })).toMatchObject(passed);
});
