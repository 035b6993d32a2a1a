import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { HostBackend } from "../../packages/sandbox/src/backends/host/host-backend.ts";
import type { CreateOptions, Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { openState } from "../../packages/sandbox/src/state/state.ts";
import { fetchCommits } from "../../packages/sandbox/src/workspace/fetch.ts";
import { putCommit } from "../../packages/sandbox/src/workspace/put-commit.ts";
import { atEnd } from "../setup/at-end.ts";
import { bundledProgram } from "../setup/bundled-program.ts";
import { runIn } from "../setup/place.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { commitFile, fingerprint, makeRepository, userGit } from "../setup/user-git.ts";

interface Scene {
  backend: HostBackend;
  state: string;
  /** The user's repository, and what the host keeps of it. */
  project: string;
  bare: string;
  base: string;
  create: (options?: Partial<CreateOptions>) => Promise<Sandbox>;
}

function scene(): Scene {
  const at = realpathSync(temporaryFolder());
  const state = join(at, "state");
  const project = makeRepository(join(at, "project"));
  const base = commitFile(project, ".gitignore", "node_modules/\n");
  const bare = join(at, "project.git");
  userGit(at, "clone", "-q", "--bare", project, bare);
  const backend = new HostBackend(openState(state));
  atEnd(() => backend.reset());
  const create: Scene["create"] = async (options = {}) => {
    const workspaces = [{ path: project, readOnly: false }];
    const wanted = { name: "one", agent: "shell", workspaceKind: "clone", workspaces } as const;
    const sandbox = await backend.create({ ...wanted, ...options });
    atEnd(() => sandbox.close());
    return sandbox;
  };
  return { backend, state, project, bare, base, create };
}

describe("a clone on the host", () => {
  test("stands apart from the user's repository, which stays as it is to the time stamp", async () => {
    const { backend, state, project, base, create } = scene();
    writeFileSync(join(project, "README.md"), "not committed\n");
    const before = fingerprint(project);
    const sandbox = await create({ env: { GIVEN: "env" } });
    const path = pathOf(sandbox);
    expect(path).toBe(join(state, "clones", sandbox.id, basename(project)));
    expect(sandbox).toMatchObject({ workspaceKind: "clone", backend: "host" });
    expect(await said(sandbox, 'pwd; git rev-parse HEAD; git branch --show-current; echo "$GIVEN"')).toBe(
      [path, base, "main", "env"].join("\n"),
    );
    expect(await said(sandbox, "cat README.md; git status --short; git remote")).toBe("first");
    await said(sandbox, "echo changed > README.md; git commit -qam changed; git gc -q");
    expect(fingerprint(project)).toEqual(before);
    expect(await backend.list()).toMatchObject([{ name: "one", workspaceKind: "clone" }]);
    expect((await backend.inspect("one"))["repository"]).toEqual({ path: project, commit: base });
    expect(JSON.stringify(await backend.inspect("one"))).not.toContain("GIVEN");
  });

  test("takes its commits from another repository, and gives them back to that one", async () => {
    const { backend, project, bare, base, create } = scene();
    const before = fingerprint(project);
    const sandbox = await create({ repository: bare, commit: base });
    await said(sandbox, "echo new > new; git add new; git commit -q -m inside");
    await expect(backend.remove("one")).rejects.toMatchObject({ code: "unfetched_commits" });
    const at = { repository: bare, name: "one", path: pathOf(sandbox), base };
    await expect(fetchCommits(sandbox, at)).resolves.toMatchObject({ commits: 1 });
    expect(userGit(bare, "show", "refs/sandboxes/one/HEAD:new")).toBe("new");
    expect(fingerprint(project)).toEqual(before);
    await backend.remove("one");
  });

  test("is brought to another commit and keeps what git ignores", async () => {
    const { project, create } = scene();
    const sandbox = await create();
    const later = commitFile(project, "later", "2\n");
    await said(sandbox, "mkdir node_modules; echo kept > node_modules/kept; echo x > left-over");
    await putCommit(sandbox, { repository: project, path: pathOf(sandbox), commit: later });
    expect(await said(sandbox, "git rev-parse HEAD; git status --short; cat later node_modules/kept")).toBe(
      [later, "2", "kept"].join("\n"),
    );
    expect(await said(sandbox, "ls left-over 2>/dev/null || echo gone")).toBe("gone");
  });

  test("is there again after a stop, and gone when the sandbox is removed, whatever lies in it", async () => {
    const { backend, state, create } = scene();
    const sandbox = await create();
    await said(sandbox, "echo kept > kept; mkdir read-only; touch read-only/file; chmod 0555 read-only");
    await sandbox.close();
    await backend.stop("one");
    const again = await backend.open("one");
    expect(again.workspaces).toEqual(sandbox.workspaces);
    expect(await said(again, "cat kept")).toBe("kept");
    await again.close();
    await backend.remove("one");
    expect(readdirSync(join(state, "clones"))).toEqual([]);
    expect(await backend.list()).toEqual([]);
  });

  test("that has lost its repository is not taken for a part of one around it", async () => {
    const { state, create } = scene();
    const sandbox = await create();
    userGit(join(state, ".."), "init", "-q");
    const { code } = await runIn(sandbox, ["sh", "-c", "rm -rf .git; git status"]);
    expect(code).toBe(128);
  });

  test("is made where it belongs although the caller's git was led elsewhere, and runs nothing of theirs", async () => {
    const { backend, state, project, create } = scene();
    const home = temporaryFolder();
    const trap = join(home, "trap");
    writeFileSync(trap, `#!/bin/sh\ntouch ${home}/ran\ncat\n`);
    chmodSync(trap, 0o755);
    mkdirSync(join(home, "hooks"));
    for (const hook of ["post-checkout", "reference-transaction", "post-index-change"]) {
      writeFileSync(join(home, "hooks", hook), `#!/bin/sh\ntouch ${home}/ran\n`, { mode: 0o755 });
    }
    const settings = `[core]\nhooksPath=${home}/hooks\nfsmonitor=${trap}\n[filter "trap"]\nsmudge=${trap}\nclean=${trap}\n`;
    writeFileSync(join(home, ".gitconfig"), `${settings}[init]\ntemplateDir=${home}\n`);
    commitFile(project, ".gitattributes", "*.md filter=trap\n");
    rmSync(join(home, "ran"), { force: true });
    const before = fingerprint(project);
    const led = {
      GIT_DIR: join(project, ".git"),
      GIT_WORK_TREE: project,
      GIT_INDEX_FILE: join(home, "index"),
    };
    await client({ ...led, HOME: home, OPENTIGER_HOME: state }, project).ended;
    expect(existsSync(join(home, "ran"))).toBe(false);
    expect(fingerprint(project)).toEqual(before);
    const sandbox = await backend.open("half-made");
    expect(await said(sandbox, "git -c core.fsmonitor= rev-parse --show-toplevel HEAD")).toBe(
      `${pathOf(sandbox)}\n${userGit(project, "rev-parse", "HEAD")}`,
    );
    await sandbox.close();
    await expect(create({ name: "half-made" })).rejects.toMatchObject({ code: "already_exists" });
  });

  test.each([0, 150, 300])("whose maker was killed after %i ms is collected", async (ms) => {
    const { backend, state, project, create } = scene();
    const { begun, ended, kill } = client({ OPENTIGER_HOME: state }, project);
    await begun;
    await delay(ms);
    kill();
    await ended;
    const finished = await backend.open("half-made").catch(() => undefined);
    await finished?.close();
    if (finished) await backend.remove("half-made", { force: true });
    const sandbox = await create({ name: "half-made" });
    expect(await said(sandbox, "git status --short")).toBe("");
    await sandbox.close();
    await backend.remove("half-made");
    mkdirSync(join(state, "clones/of-nobody"), { recursive: true });
    await backend.prune();
    expect(readdirSync(join(state, "clones"))).toEqual([]);
    expect(readdirSync(join(state, "host"))).toEqual([]);
  });

  test("is refused where there is no repository, and nothing is left", async () => {
    const { backend, state, project, create } = scene();
    await expect(create({ repository: join(project, "src") })).rejects.toMatchObject({
      code: "workspace_refused",
    });
    await expect(create({ commit: "no-such" })).rejects.toMatchObject({ code: "git_failed" });
    await expect(create({ workspaces: [] })).rejects.toMatchObject({ code: "usage" });
    const direct = { workspaceKind: "direct", repository: project } as const;
    await expect(create(direct)).rejects.toMatchObject({ code: "usage" });
    expect(await backend.list()).toEqual([]);
    expect(readdirSync(join(state, "clones"))).toEqual([]);
  });
});

function pathOf(sandbox: Sandbox): string {
  return sandbox.workspaces[0]?.path ?? "";
}

/** Output of a shell command in the clone, which must succeed. */
async function said(sandbox: Sandbox, script: string): Promise<string> {
  const author =
    "export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b; ";
  const { code, stdout, stderr } = await runIn(sandbox, ["sh", "-c", author + script]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout.trim();
}

const program = await bundledProgram(new URL("./host-cloning-client.ts", import.meta.url));

function client(env: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return {
    begun: once(child.stdout, "data"),
    ended: once(child, "exit"),
    kill: () => child.kill("SIGKILL"),
  };
}
