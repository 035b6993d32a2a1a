import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { soak } from "../../../../tests/setup/soak.ts";
import { commitFiles, makeRepository, scratchFolder, userGit } from "../../../../tests/setup/user-git.ts";
import { localSandbox, openFor } from "./git-fixture.ts";
import { pathMatcher } from "./path-matcher.ts";

afterEach(() => void vi.unstubAllEnvs());

const author = { name: "Ada", email: "ada@example.com" };
const date = new Date("2026-01-01");

/** About as many as there are git processes on the way. In each round another one is killed: all of them in a soak, else every third. */
const processes = 36;
const rounds = Array.from({ length: processes }, (_, index) => index + 1).filter(
  (nth) => soak || nth % 3 === 1,
);

/** A git of which the nth process is killed after so many milliseconds, wherever it is then. */
function mortalGit(folder: string): (nth: number, ms: number) => void {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const count = join(folder, "count");
  const lines = [
    "#!/bin/sh",
    `echo >> '${count}'`,
    `[ "$(wc -l < '${count}')" -eq "\${MORTAL_NTH:-0}" ] || exec '${real}' "$@"`,
    `exec timeout -s KILL "$MORTAL_LIFE" '${real}' "$@"`,
  ];
  mkdirSync(folder);
  writeFileSync(join(folder, "git"), `${lines.join("\n")}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
  return (nth, ms) => {
    writeFileSync(count, "");
    vi.stubEnv("MORTAL_NTH", String(nth));
    vi.stubEnv("MORTAL_LIFE", String(ms / 1000));
  };
}

/** From the user's repository to the branch in it: every step that writes anywhere. */
async function everything(user: string, at: string, loop: string): Promise<string> {
  const own = await openFor(user);
  const { baseOid } = await own.importBase(loop);
  const path = join(at, "inside");
  const { headOid } = await own.collect(localSandbox(at), {
    name: `loop-${loop}-shell-1`,
    path,
    base: baseOid,
  });
  const merged = await own.mergeTrees({ base: baseOid, ours: baseOid, theirs: headOid });
  if (!merged.ok) throw new Error("it did not merge");
  const isRestored = pathMatcher(["src"]);
  const { tree } = await own.restorePaths({ tree: merged.tree, from: baseOid, isRestored });
  const oid = await own.commit({ tree, parents: [baseOid], message: "task\n", author, date });
  await own.pin(loop, "task-1/candidate", oid);
  const shown = await own.project({ id: loop, branch: `tiger/${loop}`, branchOid: oid, projectedOid: null });
  expect(shown).toEqual({ projected: oid });
  return oid;
}

/** A repository, and what an agent has made of it. */
function scene(): { at: string; user: string } {
  const at = scratchFolder();
  const user = makeRepository(join(at, "user"));
  commitFiles(user, Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`many/${n}`, `${n}\n`])));
  const path = join(at, "inside");
  userGit(at, "clone", "-q", user, path);
  commitFiles(path, { "src/main.ts": "console.log(2);\n", "new.txt": "new\n" });
  return { at, user };
}

/** What a killed git has left is as old as if one had waited for it. */
function ageLocks(folder: string): void {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const old = new Date(Date.now() - 3_600_000);
  for (const name of names.filter((each) => each.endsWith(".lock"))) utimesSync(join(folder, name), old, old);
}

test("git may be killed at any moment: the next try goes on, and comes to the same commit", async () => {
  const { at, user } = scene();
  const kill = mortalGit(join(at, "bin"));
  const commits = new Set<string>();
  let killed = 0;
  for (const round of rounds) {
    kill(round, 0.5 + (round % 5) * 0.7);
    const first = await everything(user, at, `loop${round}`).catch(() => undefined);
    ageLocks(join(user, ".git"));
    kill(0, 0);
    if (first === undefined) killed += 1;
    commits.add(first ?? (await everything(user, at, `loop${round}`)));
  }
  expect(killed).toBeGreaterThan(soak ? 9 : 2);
  expect(commits.size).toBe(1);
  const shown = userGit(user, "for-each-ref", "--format=%(objectname)", "refs/heads/tiger").split("\n");
  expect([shown.length, new Set(shown)]).toEqual([rounds.length, commits]);
  const own = await openFor(user);
  expect(readdirSync(join(own.path, "scratch"))).toEqual([]);
  expect(userGit(own.path, "for-each-ref", "--format=%(refname)", "refs/sandboxes")).toBe("");
  for (const folder of [own.path, user])
    expect(userGit(folder, "fsck", "--strict")).not.toMatch(/error|missing/);
}, 240_000);
