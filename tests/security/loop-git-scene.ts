import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import { LoopRepository } from "../../packages/orchestrator/src/git/repository.ts";
import { checkRules, type Rules } from "../../packages/orchestrator/src/git/rules.ts";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import type { Place } from "../setup/place.ts";
import { type Instance, newSandbox } from "../setup/sandbox.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { commitFile, makeRepository, userGit } from "../setup/user-git.ts";

/** A user without settings of their own. */
export const user = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "U",
  GIT_AUTHOR_EMAIL: "u@x",
  GIT_COMMITTER_NAME: "U",
  GIT_COMMITTER_EMAIL: "u@x",
};
const author = { name: "U", email: "u@x" };
/** For scripts that commit. */
export const names =
  "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b";
const date = new Date("2026-01-01");
const long = Array.from({ length: 20 }, (_, n) => `line ${n}\n`).join("");

export interface Scene {
  /** The user's repository, and where our own lie. */
  repository: string;
  base: string;
  canary: string;
  own: LoopRepository;
  /** The agent works: it changes the end of a file, and does what the attack says. */
  attack(place: Place, inside: string): Promise<void>;
  /** A plain orchestrator goes on in the agent's tree. */
  plainly(outside: string): string;
}

export async function scene(): Promise<Scene> {
  const at = temporaryFolder();
  const repository = makeRepository(join(at, "project"));
  const base = commitFile(repository, "README.md", long);
  const canary = join(at, "canary");
  const trap = `#!/bin/sh\ntouch '${canary}' 2>/dev/null\n[ $# -gt 0 ] || cat\nexit 0\n`;
  const own = await LoopRepository.open(
    { folder: join(at, "state"), env: {} },
    { id: "r", path: repository },
  );
  await own.importBase("loop1");
  return {
    repository,
    base,
    canary,
    own,
    async attack(place, inside) {
      const work = `${names}; echo work >> README.md; printf '%s' "$2" > "$1"; chmod +x "$1"; ${inside}`;
      const said = await place.run(["sh", "-ec", work, "sh", join(repository, "trap"), trap]);
      expect([said.code, said.stderr]).toEqual([0, expect.any(String)]);
    },
    plainly(outside) {
      try {
        return execFileSync("sh", ["-ec", outside], {
          cwd: repository,
          env: user,
          stdio: "pipe",
          encoding: "utf8",
        });
      } catch {
        return ""; // Whether git then fails does not matter: what it started has run.
      }
    },
  };
}

/** All that a loop does with a candidate, after somebody else's work has been merged. */
export async function ourWay({ own, base }: Scene, headOid: string): Promise<void> {
  const changes = await own.changes(base, headOid);
  checkRules(changes, rules);
  await own.diff(base, headOid);
  await own.readFile(headOid, ".gitattributes");
  const mine = await own.commit({
    tree: await own.tree(headOid),
    parents: [base],
    message: "task\n",
    author,
    date,
  });
  await own.pin("loop1", "task-1/candidate", mine);
  const tip = await otherWork(own, base);
  const merged = await own.mergeTrees({ base, ours: tip, theirs: mine });
  expect(merged).toMatchObject({ ok: true });
  const tree = merged.ok ? merged.tree : "";
  await own.restorePaths({
    tree,
    from: base,
    isRestored: (path) => path.endsWith(".md") || path === ".gitattributes",
  });
  const branchOid = await own.commit({ tree, parents: [tip], message: "task\n", author, date });
  for await (const chunk of own.patch(base, branchOid)) expect(chunk.length).toBeGreaterThan(0);
  const shown = await own.project({ id: "loop1", branch: "tiger/loop1", branchOid, projectedOid: null });
  expect(shown).toEqual({ projected: branchOid });
}

/** Another agent's change to the other end of the same file, so that its lines have to be merged. */
async function otherWork(own: LoopRepository, base: string): Promise<string> {
  const at = makeRepository(join(temporaryFolder(), "other"));
  userGit(at, "fetch", "-q", own.path, base);
  userGit(at, "checkout", "-q", base);
  const oid = commitFile(at, "README.md", long.replace("line 0", "theirs"));
  userGit(own.path, "fetch", "-q", at, `${oid}:refs/opentiger/loop1/task-2/candidate`);
  return oid;
}

export const rules: Rules = {
  allowedPaths: [],
  mayChange: [],
  role: "worker",
  project: {
    testPaths: [],
    limits: {
      memory: null,
      cpus: null,
      pids: null,
      changedFiles: 100,
      changedBytes: 1e6,
      binaries: "refused",
    },
  },
};

/** A sandbox with a clone of the user's repository, at the base. */
export async function cloneOf(instance: Instance, { repository, base }: Scene): Promise<Sandbox> {
  return newSandbox(instance, repository, { workspaceKind: "clone", commit: base });
}

export async function collected(at: Scene, sandbox: Sandbox): Promise<string> {
  const { repository: path, base } = at;
  return (await at.own.collect(sandbox, { name: sandbox.name, path, base })).headOid;
}
