import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, test, vi } from "vitest";
import { commitFile, makeRepository, scratchFolder, userGit } from "../../../../tests/setup/user-git.ts";
import { localInside } from "../files/local-inside.ts";
import { putRepository } from "./clone.ts";
import { fetchCommits } from "./fetch.ts";
import { git, gitAnswer, gitStream } from "./host-git.ts";

afterEach(() => void vi.unstubAllEnvs());

describe("the host's git", () => {
  test("runs in the folder it is given, whatever the environment points to", async () => {
    const at = scratchFolder();
    const wanted = makeRepository(join(at, "wanted"));
    const other = makeRepository(join(at, "other"));
    commitFile(other, "x", "x");
    vi.stubEnv("GIT_DIR", join(other, ".git"));
    vi.stubEnv("GIT_WORK_TREE", other);
    vi.stubEnv("GIT_OBJECT_DIRECTORY", join(other, ".git/objects"));
    vi.stubEnv("GIT_CONFIG_PARAMETERS", "'core.bare=true'");
    expect((await git(wanted, ["rev-parse", "HEAD"])).trim()).toBe(headOf(wanted));
  });

  test("starts nothing that the repository names, neither when cloning from it nor when fetching into it", async () => {
    const at = scratchFolder();
    const host = makeRepository(join(at, "host"));
    const path = join(at, "inside");
    mkdirSync(path);
    const canary = join(at, "canary");
    plantEverything(host, canary);
    const inside = localInside(at, { HOME: at });
    const { commit } = await putRepository(inside, { repository: host, path, onProgress: () => {} });
    commitFile(path, "new", "new\n");
    await fetchCommits(inside, { repository: host, name: "box", path, base: commit ?? undefined });
    expect(existsSync(canary)).toBe(false);
    // The same repository does start them for a git that is not told otherwise.
    userGit(host, "status");
    expect(existsSync(canary)).toBe(true);
  });

  test("says what failed in its own words", async () => {
    const at = makeRepository(join(scratchFolder(), "host"));
    await expect(git(at, ["cat-file", "-p", "no-such"])).rejects.toMatchObject({
      code: "git_failed",
      message: "git cat-file failed: fatal: Not a valid object name no-such",
    });
    await expect(gitAnswer(at, ["rev-parse", "--quiet", "--verify", "no-such"])).resolves.toBeUndefined();
  });

  test("is missed by name where it is not installed", async () => {
    vi.stubEnv("PATH", "/nonexistent");
    await expect(git("/", ["version"])).rejects.toMatchObject({ code: "cli_missing", remedy: "install git" });
  });

  test("ends when it is cancelled, and when nobody reads on", async () => {
    const at = makeRepository(join(scratchFolder(), "host"));
    const abort = new AbortController();
    const waiting = git(at, ["cat-file", "--batch"], { input: new PassThrough(), signal: abort.signal });
    setImmediate(() => abort.abort());
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    for await (const chunk of gitStream(at, ["log", "-p"])) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
  });

  test("does not take a part for the whole when its input fails", async () => {
    const at = makeRepository(join(scratchFolder(), "host"));
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from("HEAD\n");
      throw new Error("the source broke");
    }
    await expect(git(at, ["cat-file", "--batch-check"], { input: broken() })).rejects.toThrow(
      "the source broke",
    );
  });
});

function headOf(folder: string): string {
  vi.unstubAllEnvs();
  return userGit(folder, "rev-parse", "HEAD");
}

/** Everything that git can be told to start, each leaving a trace. */
function plantEverything(host: string, canary: string): void {
  const trap = join(host, ".git/trap");
  writeFileSync(trap, `#!/bin/sh\ntouch ${canary}\ncat\n`);
  chmodSync(trap, 0o755);
  commitFile(host, ".gitattributes", "* filter=trap diff=trap\n");
  for (const hook of [
    "reference-transaction",
    "post-checkout",
    "pre-auto-gc",
    "post-index-change",
    "fsmonitor-watchman",
  ]) {
    mkdirSync(join(host, ".git/hooks"), { recursive: true });
    writeFileSync(join(host, ".git/hooks", hook), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
  }
  const settings = ["core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "filter.trap.clean"];
  for (const name of [
    ...settings,
    "filter.trap.smudge",
    "core.alternateRefsCommand",
    "uploadpack.packObjectsHook",
  ]) {
    userGit(host, "config", name, trap);
  }
  writeFileSync(join(host, "README.md"), "changed, so that filters are asked\n");
}
