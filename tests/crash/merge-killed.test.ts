import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { TemporaryJudgedLoop } from "../../packages/orchestrator/src/fixture/temporary-judged-loop.ts";
import {
  type TemporaryPlace,
  temporaryPlace,
} from "../../packages/orchestrator/src/fixture/temporary-place.ts";
import { mergeStage, mergeSteps } from "../../packages/orchestrator/src/merging/merge-stage.ts";
import { reconcile } from "../../packages/orchestrator/src/recovery/reconcile/reconcile.ts";
import { type Lease, takeOver } from "../../packages/orchestrator/src/state/lease.ts";
import { atEnd } from "../setup/at-end.ts";
import { bundledProgram } from "../setup/bundled-program.ts";
import { checkoutState } from "../setup/checkout-state.ts";
import { soak } from "../setup/soak.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const script = await bundledProgram(new URL("./merging-process.ts", import.meta.url));

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
  atEnd(() => place.remove());
}, 60_000);

test.each([...mergeSteps])(
  "kill -9 of a merger after the step %s: the task is merged once, and the branch is shown",
  async (step) => {
    const loop = await begin();
    const before = checkoutState(loop.user);
    const lease = await loop.claim(1, "first");
    expect(await merger(lease, [step])).toMatchObject({ signal: "SIGKILL" });
    await goOn(loop, lease);
    await allIsWell(loop, before);
  },
  60_000,
);

/** Between two steps there are several: each of them in a soak, else every third. */
const everyNth = soak ? 1 : 3;
/** A merge starts more of them than this. */
const fewestProcesses = 12;

test("kill -9 of a merger at its nth git process, which goes on without it: the task is merged once, and the branch is shown", async () => {
  for (let nth = 1; ; nth += everyNth) {
    const loop = await begin();
    const before = checkoutState(loop.user);
    const lease = await loop.claim(1, "first");
    const git = killingGit(nth);
    const { code, signal } = await merger(lease, ["tidy", "SIGCONT"], git.env);
    if (signal === "SIGKILL") await goOn(loop, lease);
    else expect(code, `its git process ${nth}`).toBe(0);
    await until("the git that went on has ended", () => signal === null || git.ended());
    await allIsWell(loop, before);
    if (signal !== null) continue;
    expect(git.hit(), "it has ended by itself").toBe(false);
    expect(nth).toBeGreaterThan(fewestProcesses);
    return;
  }
});

async function begin(): Promise<TemporaryJudgedLoop> {
  const loop = await TemporaryJudgedLoop.begin(place, {
    files: { "README.md": "empty\n" },
    tasks: [{ title: "one", role: "worker", instructions: "Do it.", needs: [], allowedPaths: ["one.txt"] }],
  });
  atEnd(() => loop.remove());
  await loop.submit(1, { "one.txt": "1\n" });
  await loop.pass(1);
  return loop;
}

/** As who finds the killed one's stage does. */
async function goOn(loop: TemporaryJudgedLoop, lease: Lease): Promise<void> {
  if ((await loop.task(1)).state !== "done") {
    const taker = { owner: "second", leaseMs: 60_000, deadOwner: "first" };
    const next = await takeOver(place.database, lease, taker);
    if (!next) throw new Error("nobody can take it over");
    await mergeStage(place, next, new AbortController().signal);
  }
  await reconcile(place);
}

/** Merged once and shown, with nothing in the way of whoever uses git there next. */
async function allIsWell(loop: TemporaryJudgedLoop, before: Record<string, string>): Promise<void> {
  await reconcile(place);
  expect(await loop.shown()).toEqual(["one"]);
  const { state, branchOid, projectedOid } = await loop.row();
  expect({ state, projectedOid }).toEqual({ state: "done", projectedOid: branchOid });
  expect((await loop.task(1)).mergedOid).toBe(branchOid);
  for (const folder of [loop.repository.path, join(loop.user, ".git")]) expect(lockFiles(folder)).toEqual([]);
  expect(checkoutState(loop.user)).toEqual(before);
}

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

async function merger(lease: Lease, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(process.execPath, [script, JSON.stringify(lease), ...words], {
    env: { ...process.env, ...place.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return { code, signal };
}

/**
 * A git that kills who started it when it is the nth, and then does what it was asked for. Of two that start at the same
 * time both may find themselves the later one: the first to look is the one that kills.
 */
function killingGit(nth: number) {
  const folder = temporaryFolder("git-");
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const [count, hit, ended] = ["count", "hit", "ended"].map((name) => join(folder, name));
  const lines = [
    "#!/bin/sh",
    `echo >> '${count}'`,
    `[ "$(wc -l < '${count}')" -ge ${nth} ] && mkdir '${hit}' 2>/dev/null || exec '${real}' "$@"`,
    "kill -9 $PPID",
    `'${real}' "$@"`,
    `touch '${ended}'`,
  ];
  writeFileSync(join(folder, "git"), `${lines.join("\n")}\n`, { mode: 0o755 });
  return {
    env: { PATH: `${folder}:${process.env["PATH"]}` },
    hit: () => existsSync(hit ?? ""),
    ended: () => existsSync(ended ?? ""),
  };
}

function lockFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".lock"));
}
