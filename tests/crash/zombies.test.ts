import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { TemporaryJudgedLoop } from "../../packages/orchestrator/src/fixture/temporary-judged-loop.ts";
import {
  type TemporaryPlace,
  temporaryPlace,
} from "../../packages/orchestrator/src/fixture/temporary-place.ts";
import { mergeStage } from "../../packages/orchestrator/src/merging/merge-stage.ts";
import { reconcile } from "../../packages/orchestrator/src/recovery/reconcile/reconcile.ts";
import { type Lease, takeOver } from "../../packages/orchestrator/src/state/lease.ts";
import { atEnd } from "../setup/at-end.ts";
import { bundledProgram } from "../setup/bundled-program.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const script = await bundledProgram(new URL("./merging-process.ts", import.meta.url));
const never = new AbortController().signal;
const timeoutMs = 120_000;

/** Longer than anybody holds the lock of one ref. */
const longAgo = new Date(Date.now() - 600_000);

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
  atEnd(() => place.remove());
}, 60_000);

describe("attack 29 a merger that is stopped, and wakes up when others have gone on", () => {
  test.each(["commit", "pin", "advance", "project", "note"] as const)(
    "after the step %s: it changes nothing any more",
    async (step) => {
      const loop = await begin();
      const lease = await loop.claim(1, "first");
      const zombie = merger(lease, [step, "SIGSTOP"]);
      await until("it is stopped", () => isStopped(zombie), timeoutMs);
      if (["commit", "pin"].includes(step)) await takenOver(lease);
      await mergeSecond(loop);
      const before = await loop.row();
      zombie.kill("SIGCONT");
      await once(zombie, "exit");
      await allIsWell(loop, before.branchOid);
    },
    timeoutMs,
  );

  test.each(["late", "prepared"] as const)(
    "while git moves the branch in the user's repository (%s): its branch does not come back",
    async (when) => {
      const loop = await begin();
      const [folder, sleeping] = [temporaryFolder("git-"), sleepingGit(loop.user, when)];
      const zombie = merger(await loop.claim(1, "first"), ["tidy", "SIGCONT"], sleeping(folder));
      await until("its git sleeps", () => existsSync(join(folder, "asleep")), timeoutMs);
      const lock = join(loop.user, ".git/refs/heads", `${(await loop.row()).branch}.lock`);
      if (when === "prepared") await until("it holds the lock", () => existsSync(lock), timeoutMs);
      zombie.kill("SIGSTOP");
      await mergeSecond(loop);
      if (when === "prepared") utimesSync(lock, longAgo, longAgo);
      await reconcile(place);
      expect(await loop.shown()).toEqual(["two", "one"]);
      const before = await loop.row();
      writeFileSync(join(folder, "awake"), "");
      zombie.kill("SIGCONT");
      await once(zombie, "exit");
      await allIsWell(loop, before.branchOid);
    },
    timeoutMs,
  );
});

async function begin(): Promise<TemporaryJudgedLoop> {
  const task = { role: "worker", instructions: "Do it.", needs: [] } as const;
  const loop = await TemporaryJudgedLoop.begin(place, {
    files: { "README.md": "empty\n" },
    settings: { environment: "host" },
    tasks: [
      { ...task, title: "one", allowedPaths: ["one.txt"] },
      { ...task, title: "two", allowedPaths: ["two.txt"] },
    ],
  });
  atEnd(() => loop.remove());
  await loop.submit(1, { "one.txt": "1\n" });
  await loop.pass(1);
  return loop;
}

function merger(lease: Lease, words: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const args = [script, JSON.stringify(lease), ...words];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...place.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  atEnd(() => child.kill("SIGKILL"));
  return child;
}

function isStopped({ pid }: ChildProcess): boolean {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.startsWith("T") === true;
}

/** Its lease has run out, and the next one merges. */
async function takenOver(lease: Lease): Promise<void> {
  const next = await takeOver(place.database, lease, {
    owner: "second",
    leaseMs: 60_000,
    deadOwner: lease.owner,
  });
  if (!next) throw new Error("nobody can take it over");
  await mergeStage(place, next, never);
}

async function mergeSecond(loop: TemporaryJudgedLoop): Promise<void> {
  await loop.submit(2, { "two.txt": "2\n" });
  await loop.pass(2);
  await mergeStage(place, await loop.claim(2, "second"), never);
}

/** The branch is where it was, in all repositories, with each task once; whatever the zombie did there is put right. */
async function allIsWell(loop: TemporaryJudgedLoop, branchOid: string | null): Promise<void> {
  await reconcile(place);
  const row = await loop.row();
  expect(row).toMatchObject({ branchOid, projectedOid: branchOid, state: "done", detail: null });
  expect(await loop.shown()).toEqual(["two", "one"]);
  expect((await loop.repository.pins(loop.id)).get("branch")).toBe(branchOid);
  for (const folder of [loop.repository.path, join(loop.user, ".git")]) {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => name.endsWith(".lock"))).toEqual([]);
  }
}

/**
 * A git that sleeps when it is to move a ref of this repository: before it looks at the ref, or while it holds its lock and has
 * only to let it go.
 */
function sleepingGit(user: string, when: "late" | "prepared"): (folder: string) => NodeJS.ProcessEnv {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  return (folder) => {
    const sleep = `touch ${folder}/asleep; while [ ! -e ${folder}/awake ]; do sleep 0.05; done`;
    const order = `printf 'start\\n%s\\nprepare\\n' "$order"; ${sleep}; printf 'commit\\n'`;
    const acts = {
      late: `${sleep}; exec ${real} "$@"`,
      prepared: `order=$(cat); { ${order}; } | ${real} "$@"; exit $?`,
    };
    const text = `#!/bin/sh
case "$*" in "-C ${user} "*" update-ref "*) ${acts[when]} ;; esac
exec ${real} "$@"
`;
    writeFileSync(join(folder, "git"), text);
    chmodSync(join(folder, "git"), 0o755);
    return { PATH: `${folder}:${process.env["PATH"]}` };
  };
}
