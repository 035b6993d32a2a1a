import { afterAll, beforeAll, expect, it } from "vitest";
import { type FileEdits, TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { commitOf, mergeCandidate } from "../merging/merged-candidate.ts";
import { openJudging } from "./judging.ts";
import { restoredRounds } from "./restored-rounds.ts";
import { runRound } from "./rounds.ts";

const never = new AbortController().signal;
let place: TemporaryPlace;
let loop: TemporaryJudgedLoop;

/** A test is a file that asks `check`, and could as well say what that is. */
const runner = 'check() { test "$@" || exit 1; }\nfor file in test/*.test.sh; do . "./$file"; done\n';
const project = { verify: ["sh run.sh"], testPaths: ["test/**"], protectedPaths: ["run.sh"] };
const right = { "src/total": "3\n" };
const wrong = { "src/total": "1\n" };
const honest = { "test/more.test.sh": "check 1 = 1\n" };
const switchingOff = { "test/aaa.test.sh": "check() { :; }\n" };

beforeAll(async () => {
  place = await temporaryPlace();
  const task = { role: "worker", instructions: "Do it.", needs: [], allowedPaths: [] } as const;
  loop = await TemporaryJudgedLoop.begin(place, {
    files: {
      "opentiger.json": JSON.stringify(project),
      "run.sh": runner,
      "src/price": "2\n",
      "test/kit.sh": "# Nothing yet.\n",
      "test/price.test.sh": 'check "$(cat src/price)" = 2\n',
    },
    settings: { environment: "host" },
    tasks: [
      { ...task, title: "Test totals", role: "tester" },
      ...["Without a test", "With one", "Cheats", "Breaks"].map((title) => ({ ...task, title })),
    ],
  });
  await loop.submit(1, {
    "test/kit.sh": "total() { cat src/total; }\n",
    "test/total.test.sh": '. test/kit.sh; check "$(total)" = 3\n',
  });
});

afterAll(async () => {
  loop.remove();
  await place.remove();
});

/** What comes of the second round of a candidate for which the tester's tests are held. */
async function resultsAgain(task: number, edits: FileEdits): Promise<string[]> {
  await loop.submit(task, edits);
  const judging = {
    ...(await openJudging(place, await loop.claim(task), never)),
    held: [await loop.task(1)],
  };
  const { repository, tip } = judging;
  const merged = await mergeCandidate(repository, judging);
  if (!merged.ok) throw new Error("it does not go together");
  const commit = await commitOf(repository, merged.tree, tip);
  const candidate = { ...merged, commit, changes: await repository.changes(tip, commit) };
  const found: string[] = [];
  for (const round of await restoredRounds(judging, candidate, [])) {
    const { results } = await runRound(judging, { ...round, tree: "restored", isSetUpAgain: false });
    found.push(...results.map(({ result }) => result));
  }
  return found;
}

it("tests that were written first are run without those which the candidate adds", async () => {
  expect(await resultsAgain(4, { ...wrong, ...switchingOff })).toEqual(["passed", "failed"]);
  expect(await resultsAgain(3, { ...right, ...honest })).toEqual(["passed", "passed"]);
});

it("and those from before without them, as ever", async () => {
  expect(await resultsAgain(5, { ...right, "src/price": "1\n", ...switchingOff })).toEqual([
    "failed",
    "failed",
  ]);
});

it("they are not run once more for a candidate that adds none", async () => {
  expect(await resultsAgain(2, right)).toEqual(["passed"]);
});
