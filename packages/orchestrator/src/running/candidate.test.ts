import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { collectCandidate } from "./candidate.ts";
import { workspaceOf } from "./inside.ts";
import { findStart } from "./start-point.ts";
import { openTaskSandbox } from "./task-sandbox.ts";
import { openWork } from "./work.ts";

let place: TemporaryPlace;
let loop: TemporaryJudgedLoop;

beforeAll(async () => {
  place = await temporaryPlace();
  loop = await TemporaryJudgedLoop.begin(place, {
    files: { "README.md": "empty\n", "opentiger.json": "{}" },
    settings: { environment: "host" },
    tasks: [{ role: "worker", title: "It", instructions: "Do it.", needs: [], allowedPaths: [] }],
  });
});

afterAll(async () => {
  loop.remove();
  await place.remove();
});

it("a change of more files than anybody looks through goes back to the agent, with what to do about it", async () => {
  const work = await openWork(place, await loop.claim(1), new AbortController().signal);
  const start = await findStart(work);
  if ("failure" in start) throw new Error(start.failure.message);
  const opened = await openTaskSandbox(work, start);
  if ("failure" in opened) throw new Error(opened.failure.message);
  const { sandbox } = opened;
  const left = commitOfMany(workspaceOf(sandbox), start.start, 100_001);
  const collected = await collectCandidate(work, sandbox, start, left);
  await sandbox.close();
  const text = expect.stringMatching(/more than 100000 files differ: .*ignored by git/);
  expect(collected).toEqual({
    failure: expect.objectContaining({ type: "rules", message: expect.stringContaining("100000 files") }),
    points: [{ by: "rules", file: null, line: null, text }],
  });
});

/** At HEAD of this clone; the files themselves are nowhere. */
function commitOfMany(clone: string, parent: string, count: number): { commit: string; tree: string } {
  const git = (args: readonly string[], input = ""): string =>
    execFileSync("git", ["-C", clone, ...args], { input, encoding: "utf8" }).trim();
  const files = Array.from(
    { length: count },
    (_, index) => `M 100644 inline d${index % 400}/f${index}\ndata 1\nx\n`,
  );
  const head = `commit refs/heads/many\ncommitter Agent <agent@example.test> now\ndata 4\nMany\nfrom ${parent}\n`;
  git(["fast-import", "--quiet", "--date-format=now"], `${head}${files.join("")}\n`);
  const commit = git(["rev-parse", "refs/heads/many"]);
  git(["update-ref", "HEAD", commit]);
  return { commit, tree: git(["rev-parse", `${commit}^{tree}`]) };
}
