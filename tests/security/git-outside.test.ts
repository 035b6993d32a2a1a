import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { copyOut } from "../../packages/sandbox/src/files/copy-out.ts";
import { fetchCommits } from "../../packages/sandbox/src/workspace/fetch.ts";
import { unfetchedCommits } from "../../packages/sandbox/src/workspace/unfetched.ts";
import { type Place, placeOf } from "../setup/place.ts";
import { plainContainer } from "../setup/plain-container.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { temporaryFolder, testUser } from "../setup/temporary-workspace.ts";
import { commitFile, fingerprint, makeRepository, userGit } from "../setup/user-git.ts";

/**
 * What an agent leaves in a repository, and what a user does there later. The trap is a program that leaves a trace
 * at a path that exists on the host only.
 */
interface Plant {
  name: string;
  /** Run inside, in the repository, with the trap as `$1`. */
  inside: string;
  /** Run outside by the user, in the repository. */
  outside: string;
}

const plants: Plant[] = [
  {
    name: "attack 1 a hook runs when the user commits",
    inside: 'mkdir -p .git/hooks; cp "$1" .git/hooks/pre-commit; cp "$1" .git/hooks/reference-transaction',
    outside: "git commit -q --allow-empty -m mine",
  },
  { name: "attack 2 core.fsmonitor", inside: 'git config core.fsmonitor "$1"', outside: "git status" },
  {
    name: "attack 2 core.hooksPath",
    inside: 'mkdir hooks; cp "$1" hooks/pre-commit; git config core.hooksPath hooks',
    outside: "git commit -q --allow-empty -m mine",
  },
  {
    name: "attack 2 diff.external",
    inside: 'git config diff.external "$1"; echo x >> README.md',
    outside: "git diff",
  },
  {
    name: "attack 2 core.pager",
    inside: 'git config core.pager "$1"',
    outside: "script -qec 'git log -1' /dev/null",
  },
  {
    name: "attack 2 core.sshCommand",
    inside: 'git config core.sshCommand "$1"; git config remote.origin.url ssh://nobody@localhost.test/x',
    outside: "git fetch origin",
  },
  {
    name: "attack 2 a filter named by a tracked .gitattributes",
    inside: 'echo "* filter=trap" > .gitattributes; git config filter.trap.clean "$1"; echo x >> README.md',
    outside: "git add README.md",
  },
  {
    name: "attack 2 settings that include another file",
    inside: 'git config -f settings core.fsmonitor "$1"; git config include.path ../settings',
    outside: "git status",
  },
  {
    name: "attack 3 a .git file that points to a repository of the agent's",
    inside:
      'cp -a .git elsewhere; rm -rf .git; git -C elsewhere config core.fsmonitor "$1"; echo "gitdir: elsewhere" > .git',
    outside: "git status",
  },
  {
    name: "attack 3 .git/commondir",
    inside:
      'cp -a .git common; git config -f common/config core.fsmonitor "$1"; echo ../common > .git/commondir',
    outside: "git status",
  },
];

const user = { GIT_CONFIG_NOSYSTEM: "1", HOME: "/nonexistent", PATH: process.env["PATH"] ?? "" };
const author = {
  GIT_AUTHOR_NAME: "U",
  GIT_AUTHOR_EMAIL: "u@x",
  GIT_COMMITTER_NAME: "U",
  GIT_COMMITTER_EMAIL: "u@x",
};

interface Scene {
  repository: string;
  canary: string;
  plant(place: Place, plant: Plant): Promise<void>;
  /** The user at work, with a git that is told nothing. */
  use(plant: Plant): void;
}

function scene(): Scene {
  const at = temporaryFolder();
  const repository = makeRepository(join(at, "project"));
  const canary = join(at, "canary");
  const trap = `#!/bin/sh\ntouch '${canary}' 2>/dev/null\nexit 0\n`;
  return {
    repository,
    canary,
    async plant(place, { inside }) {
      // The trap lies in the repository, so that it exists wherever the repository is mounted.
      const write = `printf '%s' "$2" > "$1" && chmod +x "$1" && ${inside}`;
      const { code, stderr } = await place.run(["sh", "-ec", write, "sh", join(repository, "trap"), trap]);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
    },
    use({ outside }) {
      try {
        execFileSync("sh", ["-c", outside], { cwd: repository, env: { ...user, ...author }, stdio: "pipe" });
      } catch {
        // Whether git then fails does not matter: what it started has run.
      }
    },
  };
}

let instance: Instance;
beforeAll(async () => {
  instance = await newInstance();
});

describe.each(plants)("$name: written inside, executed outside", (plant) => {
  test("in a plain container with the repository mounted", async () => {
    const { repository, canary, use, ...at } = scene();
    const plain = await plainContainer(repository, { user: testUser });
    await at.plant(plain, plant);
    expect(existsSync(canary)).toBe(false);
    use(plant);
    expect(existsSync(canary)).toBe(true);
  });

  test("not in a clone of ours, whatever we and the user do afterwards", async () => {
    const { repository, canary, use, ...at } = scene();
    const base = userGit(repository, "rev-parse", "HEAD");
    const before = fingerprint(repository);
    const sandbox = await newSandbox(instance, repository, { workspaceKind: "clone" });
    await at.plant(placeOf(sandbox), plant);
    const where = { repository, name: sandbox.name, path: repository, base };
    // Whether these succeed depends on what was planted; none of them may start anything out here.
    await unfetchedCommits(sandbox, where).catch(() => {});
    await fetchCommits(sandbox, where).catch(() => {});
    const copy = join(temporaryFolder(), "copy");
    await copyOut(sandbox, { from: `${repository}/README.md`, to: copy });
    expect(existsSync(copy)).toBe(true);
    for (const path of [".git/config", ".git/HEAD", ".git/index", "README.md"]) {
      expect(fingerprint(repository)[path]).toBe(before[path]);
    }
    use(plant);
    expect(existsSync(canary)).toBe(false);
  });
});

describe("attack 3 the agent's index hides a change from the user", () => {
  const hide = "git update-index --assume-unchanged README.md && echo changed > README.md";
  const status = (repository: string): string => userGit(repository, "status", "--porcelain");

  test("in a plain container", async () => {
    const { repository } = scene();
    const plain = await plainContainer(repository, { user: testUser });
    await plain.run(["sh", "-c", hide]);
    expect(status(repository)).toBe("");
    expect(execFileSync("cat", ["README.md"], { cwd: repository, encoding: "utf8" })).toBe("changed\n");
  });

  test("not in a clone of ours: the user's index is the user's", async () => {
    const { repository } = scene();
    const before = fingerprint(repository);
    const sandbox = await newSandbox(instance, repository, { workspaceKind: "clone" });
    await placeOf(sandbox).run(["sh", "-c", hide]);
    expect(fingerprint(repository)).toEqual(before);
  });
});

describe("attack 3 alternates lead the user's git to another repository of the host", () => {
  /** A private repository beside the project, whose content a commit of the agent's names by its id. */
  function withPrivate(): { repository: string; plantIt: string } {
    const { repository } = scene();
    const secret = makeRepository(join(repository, "../private"));
    commitFile(secret, "secret", "canary-4711\n");
    const blob = userGit(secret, "rev-parse", "HEAD:secret");
    const entry = `printf '100644 blob ${blob}\\tleak\\n'`;
    const make = `tree=$(${entry} | git mktree --missing) && git update-ref HEAD $(git commit-tree -p HEAD -m leak $tree)`;
    const point = `mkdir -p .git/objects/info && echo '${secret}/.git/objects' > .git/objects/info/alternates`;
    const names =
      "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b";
    return { repository, plantIt: `${names} && ${make} && ${point}` };
  }

  test("in a plain container", async () => {
    const { repository, plantIt } = withPrivate();
    const plain = await plainContainer(repository, { user: testUser });
    expect((await plain.run(["sh", "-ec", plantIt])).code).toBe(0);
    expect(userGit(repository, "show", "HEAD:leak")).toBe("canary-4711");
  });

  test("not in a clone of ours: commits whose files were not sent are not fetched", async () => {
    const { repository, plantIt } = withPrivate();
    const base = userGit(repository, "rev-parse", "HEAD");
    const sandbox = await newSandbox(instance, repository, { workspaceKind: "clone" });
    expect((await placeOf(sandbox).run(["sh", "-ec", plantIt])).code).toBe(0);
    const before = fingerprint(repository);
    const fetching = fetchCommits(sandbox, { repository, name: sandbox.name, path: repository, base });
    await expect(fetching).rejects.toMatchObject({ code: "git_failed" });
    expect(fingerprint(repository)).toEqual(before);
  });
});

describe("a hostile tree does not become the user's work tree", () => {
  test("a fetched commit is checked out by nobody but the user", async () => {
    const { repository } = scene();
    const base = userGit(repository, "rev-parse", "HEAD");
    const sandbox = await newSandbox(instance, repository, { workspaceKind: "clone" });
    const commit =
      "mkdir -p .claude && echo '{}' > .claude/settings.json && git add -A && git commit -q -m settings";
    expect((await placeOf(sandbox).run(["sh", "-ec", commit])).code).toBe(0);
    await fetchCommits(sandbox, { repository, name: sandbox.name, path: repository, base });
    expect(existsSync(join(repository, ".claude"))).toBe(false);
    expect(userGit(repository, "status", "--porcelain")).toBe("");
    expect(userGit(repository, "branch", "--all")).toBe("* main");
  });
});
