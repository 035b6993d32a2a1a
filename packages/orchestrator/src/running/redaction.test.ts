import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "@opentiger/sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { checkWork } from "./checks.ts";
import { disputeIn } from "./dispute.ts";
import { commitNow } from "./harness-commit.ts";
import { workspaceOf } from "./inside.ts";
import { findStart, type StartPoint } from "./start-point.ts";
import { openTaskSandbox } from "./task-sandbox.ts";
import { openWork, type Work } from "./work.ts";

const canary = "sk-ant-canary-0123456789abcdef";
const hidden = "*".repeat(canary.length);
const never = new AbortController().signal;
const task = { role: "worker", title: "It", instructions: "Do it.", needs: [], allowedPaths: [] } as const;

let place: TemporaryPlace;
const loops: TemporaryJudgedLoop[] = [];

beforeAll(async () => {
  place = await temporaryPlace();
  place.env["ANTHROPIC_API_KEY"] = canary;
});

afterAll(async () => {
  for (const loop of loops) loop.remove();
  await place.remove();
});

it("what checks printed before anything was changed is kept without secrets", async () => {
  const { work, sandbox, start } = await opened({ setup: [], verify: ["cat said; exit 1"] });
  const { round } = await checkWork(work, sandbox, start, { commit: start.start, tree: "" });
  expect(JSON.stringify(round)).toContain(hidden);
  const { rows } = await place.database.query("select * from baselines");
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).toContain(hidden);
  expect(JSON.stringify([rows, round])).not.toContain("canary");
});

it("what an agent says of a test, and what git says of its work, comes to others without secrets", async () => {
  const { work, sandbox, start } = await opened({ setup: [], verify: [] });
  const clone = workspaceOf(sandbox);
  writeFileSync(join(clone, "opentiger-dispute.md"), `It is wrong: ${canary}`);
  const locked = [{ path: "test.js", oid: "" }];
  expect(await disputeIn(work, sandbox, { ...start, locked })).toBe(`It is wrong: ${hidden}`);
  // A repository without a commit is nothing that git could take.
  execFileSync("git", ["init", "--quiet", join(clone, canary)]);
  const left = await commitNow(work, sandbox, start);
  const { message = "" } = "failure" in left ? left.failure : {};
  expect(message).toContain(hidden);
  expect(message).not.toContain("canary");
});

it("what a set-up printed that failed is told without secrets", async () => {
  const opening = opened({ setup: ["cat said; exit 1"], verify: [] });
  const said = await opening.then(
    () => "",
    (error: unknown) => String(error),
  );
  expect(said).toContain(hidden);
  expect(said).not.toContain("canary");
});

async function opened(project: object): Promise<{ work: Work; sandbox: Sandbox; start: StartPoint }> {
  const loop = await TemporaryJudgedLoop.begin(place, {
    files: { "opentiger.json": JSON.stringify(project), said: `${canary}\n` },
    settings: { environment: "host" },
    tasks: [task],
  });
  loops.push(loop);
  const work = await openWork(place, await loop.claim(1), never);
  const start = await findStart(work);
  const made = "failure" in start ? start : await openTaskSandbox(work, start);
  if ("failure" in made || "failure" in start) throw new Error("it could not begin");
  return { work, start, sandbox: made.sandbox };
}
