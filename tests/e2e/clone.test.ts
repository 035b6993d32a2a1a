import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { fetchCommits } from "../../packages/sandbox/src/workspace/fetch.ts";
import { unfetchedCommits } from "../../packages/sandbox/src/workspace/unfetched.ts";
import { atEnd } from "../setup/at-end.ts";
import { docker, removeContainer } from "../setup/docker.ts";
import { fullSize, fullSizeTimeout, makeNoise } from "../setup/full-size.ts";
import { runIn } from "../setup/place.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { commitFile, fingerprint, makeRepository, userGit } from "../setup/user-git.ts";

let instance: Instance;

beforeAll(async () => {
  instance = await newInstance();
});

async function cloneOf(repository: string, commit?: string): Promise<Sandbox> {
  return newSandbox(instance, repository, { workspaceKind: "clone", ...(commit ? { commit } : {}) });
}

/** Output of a shell command in the clone, which must succeed. */
async function said(sandbox: Sandbox, script: string): Promise<string> {
  const { code, stdout, stderr } = await runIn(sandbox, ["sh", "-c", script]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout.trim();
}

const agentCommits = "git add -A && git commit -q -m 'from inside'";

describe("a clone sandbox", () => {
  test("holds the repository at the same path, owned by the agent, and nothing of the host", async () => {
    const repository = makeRepository(join(temporaryFolder(), "project"));
    writeFileSync(join(repository, "uncommitted"), "stays here\n");
    const sandbox = await cloneOf(repository);
    expect(
      await said(sandbox, "pwd && git log --format=%H -1 && git branch --show-current && git status --short"),
    ).toBe([repository, userGit(repository, "rev-parse", "HEAD"), "main"].join("\n"));
    expect(await said(sandbox, "stat -c %u . .git README.md | sort -u")).toBe(await said(sandbox, "id -u"));
    expect(await said(sandbox, "ls -A")).toBe(".git\nREADME.md\nsrc");
    expect(await said(sandbox, `grep -c -F '${repository}' /proc/self/mountinfo || true`)).toBe("0");
    expect(await said(sandbox, "git remote")).toBe("");
  });

  test("gives its commits back, and the user's checkout, index and stash stay bit-identical", async () => {
    const repository = makeRepository(join(temporaryFolder(), "project"));
    writeFileSync(join(repository, "README.md"), "stashed\n");
    userGit(repository, "stash");
    writeFileSync(join(repository, "README.md"), "staged\n");
    userGit(repository, "add", "README.md");
    writeFileSync(join(repository, "README.md"), "and changed again\n");
    const ours = (path: string): boolean => /^\.git(\/objects|\/refs(\/sandboxes)?(\/|$)|$)/.test(path);
    const before = fingerprint(repository);
    const base = userGit(repository, "rev-parse", "HEAD");
    const sandbox = await cloneOf(repository);
    expect(fingerprint(repository)).toEqual(before);

    await said(
      sandbox,
      `echo new > new.txt && ${agentCommits} && git checkout -q -b topic && echo x >> README.md`,
    );
    const at = { repository, name: sandbox.name, path: repository, base };
    await expect(unfetchedCommits(sandbox, at)).resolves.toMatchObject({
      commits: [{ subject: "from inside" }],
      uncommitted: true,
    });
    const untouched = fingerprint(repository, ours);
    const { refs, commits } = await fetchCommits(sandbox, at);
    expect(commits).toBe(1);
    expect(refs.map(({ name }) => name)).toEqual(
      ["main", "topic", "HEAD"].map((name) => `refs/sandboxes/${sandbox.name}/${name}`),
    );
    expect(userGit(repository, "show", `refs/sandboxes/${sandbox.name}/main:new.txt`)).toBe("new");
    expect(userGit(repository, "log", "-1", "--format=%P", `refs/sandboxes/${sandbox.name}/main`)).toBe(base);
    expect(fingerprint(repository, ours)).toMatchObject(untouched);
    expect(userGit(repository, "stash", "list")).not.toBe("");
    await expect(unfetchedCommits(sandbox, at)).resolves.toMatchObject({ commits: [], uncommitted: true });
  });

  test("starts at the commit that was asked for", async () => {
    const repository = makeRepository(join(temporaryFolder(), "project"));
    const first = userGit(repository, "rev-parse", "HEAD~1");
    const sandbox = await cloneOf(repository, first);
    expect(await said(sandbox, "git rev-parse HEAD && ls")).toBe(`${first}\nREADME.md`);
  });

  test("has the submodules and the shallow edge of the host's", async () => {
    const at = temporaryFolder();
    makeRepository(join(at, "library"));
    const upstream = makeRepository(join(at, "upstream"));
    userGit(upstream, "submodule", "--quiet", "add", join(at, "library"), "libs/library");
    userGit(upstream, "commit", "-q", "-m", "library");
    commitFile(upstream, "last", "last\n");
    const repository = join(at, "project");
    userGit(at, "clone", "-q", "--depth=2", "--recurse-submodules", `file://${upstream}`, repository);
    const sandbox = await cloneOf(repository);
    expect(await said(sandbox, "git rev-list --count HEAD && git fsck 2>&1 && git status --short")).toBe("2");
    expect(await said(sandbox, "cat libs/library/src/main.ts")).toBe("console.log(1);");
    const inner = await said(
      sandbox,
      `cd libs/library && echo x > x && ${agentCommits} && git rev-parse HEAD`,
    );
    const base = userGit(repository, "rev-parse", "HEAD");
    await fetchCommits(sandbox, { repository, name: sandbox.name, path: repository, base });
    expect(
      userGit(join(repository, "libs/library"), "rev-parse", `refs/sandboxes/${sandbox.name}/HEAD`),
    ).toBe(inner);
  });

  test("is refused for a folder that is no repository, and leaves nothing behind", async () => {
    const folder = join(temporaryFolder(), "plain");
    mkdirSync(folder);
    // Those of others on the same engine come and go.
    const own = async () => (await instance.backend.list()).filter((each) => each.own);
    const before = await own();
    await expect(cloneOf(folder)).rejects.toMatchObject({
      code: "workspace_refused",
      remedy: expect.any(String),
    });
    expect(await own()).toEqual(before);
  });
});

describe("a clone sandbox that was saved as a template", () => {
  test("gives a clone of the same repository its tools, and not its own clone", async () => {
    const repository = makeRepository(join(temporaryFolder(), "project"));
    const first = await cloneOf(repository);
    await said(first, `echo tool > ~/.local/bin/tool; echo new > new && ${agentCommits}; echo x > left-over`);
    const image = await savedAs(first, "template-of-a-clone");
    const head = commitFile(repository, "later", "2\n");

    const second = await newSandbox(instance, repository, { workspaceKind: "clone", image });
    expect(await said(second, "cat ~/.local/bin/tool")).toBe("tool");
    expect(await said(second, "git rev-parse HEAD && git status --short && ls")).toBe(
      [head, "README.md", "later", "src"].join("\n"),
    );
    expect(await said(second, "git log --all --format=%s")).not.toContain("from inside");
    expect(await said(first, "cat new left-over")).toBe("new\nx");
  });

  test("is refused with the reason where its clone belongs to somebody else", async () => {
    const repository = makeRepository(join(temporaryFolder(), "project"));
    const image = await savedAs(await cloneOf(repository), "template-of-another");
    const container = await docker("create", "--user", "0:0", image, "chown", "-R", "7:7", repository);
    await docker("start", "--attach", container);
    await docker("commit", container, image);
    await removeContainer(container);
    const before = await ownSandboxes();
    const creating = newSandbox(instance, repository, { workspaceKind: "clone", image });
    await expect(creating).rejects.toMatchObject({
      code: "already_exists",
      remedy: expect.stringContaining("template"),
    });
    expect(await ownSandboxes()).toEqual(before);
  });

  /** Those of other instances come and go beside this test. */
  async function ownSandboxes(): Promise<string[]> {
    return (await instance.backend.list()).flatMap(({ name, own }) => (own ? [name] : []));
  }

  async function savedAs(sandbox: Sandbox, name: string): Promise<string> {
    const image = `opentiger-test/${name}:latest`;
    atEnd(async () => void (await docker("rmi", "--force", image)));
    await instance.backend.save(sandbox.name, image);
    return image;
  }
});

describe("a repository that an agent has ruined", () => {
  const ruins: [string, string][] = [
    ["is a file that points elsewhere", "mv .git /tmp/moved; echo 'gitdir: /nonexistent' > .git"],
    ["is a link to nowhere", "rm -rf .git; ln -s /nonexistent .git"],
    ["has a common folder that is none", "echo /nonexistent > .git/commondir"],
    ["is gone", "rm -rf .git"],
    ["has lost its objects", "rm -rf .git/objects/* && mkdir -p .git/objects/info"],
  ];
  test.each(ruins)("that %s: the fetch says so, and changes nothing", async (_what, ruin) => {
    const repository = makeRepository(join(temporaryFolder(), "project"));
    const base = userGit(repository, "rev-parse", "HEAD");
    const sandbox = await cloneOf(repository);
    await said(sandbox, `echo new > new && ${agentCommits}; ${ruin}`);
    const before = fingerprint(repository);
    const scratch = temporaryFolder();
    const fetching = fetchCommits(sandbox, {
      repository,
      name: sandbox.name,
      path: repository,
      base,
      scratch,
    });
    await expect(fetching).rejects.toMatchObject({ code: "git_failed", remedy: expect.any(String) });
    expect(fingerprint(repository)).toEqual(before);
    expect(existsSync(join(repository, ".git/refs/sandboxes"))).toBe(false);
  });
});

describe("a large repository", () => {
  const { repositoryMegabytes: megabytes } = fullSize;
  test(`of ${megabytes} MB goes in and out as a stream`, { timeout: fullSizeTimeout }, async () => {
    const repository = makeRepository(join(temporaryFolder(), "project"));
    makeNoise(repository, megabytes);
    const base = commitFile(repository, "last", "last\n");
    const sandbox = await cloneOf(repository);
    expect(await said(sandbox, "git status --short && ls | wc -l")).toBe(String(megabytes + 3));
    await said(sandbox, `head -c ${megabytes}000000 /dev/urandom > big && ${agentCommits}`);
    const fetched = await fetchCommits(sandbox, { repository, name: sandbox.name, path: repository, base });
    expect(fetched.commits).toBe(1);
  });
});
