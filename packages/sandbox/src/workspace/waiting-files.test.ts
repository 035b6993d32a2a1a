import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../fixture/temporary-folder.ts";
import { openRepository } from "./repository.ts";
import { refuseWaitingFiles } from "./waiting-files.ts";

it.each([
  "HEAD",
  "config",
  "index",
  "packed-refs",
  "shallow",
  "refs/heads/main",
  "objects/info/alternates",
  "info/attributes",
])("a repository whose %s is a named pipe is refused, with what to do about it", async (name) => {
  const top = repository();
  const pipe = join(top, ".git", name);
  rmSync(pipe, { force: true });
  execFileSync("mkfifo", [pipe]);
  await expect(openRepository(top)).rejects.toMatchObject({
    code: "workspace_refused",
    message: expect.stringContaining(`${pipe} is a named pipe`),
    remedy: expect.stringContaining(`rm ${pipe}`),
  });
});

it("so is one with a link to a device, from below its top and from a work tree of it", () => {
  const top = repository();
  const linked = join(temporaryFolder(), "linked");
  git(top, "worktree", "add", "-q", linked);
  mkdirSync(join(top, "below"));
  rmSync(join(top, ".git/config"));
  symlinkSync("/dev/zero", join(top, ".git/config"));
  for (const path of [top, join(top, "below"), linked])
    expect(() => refuseWaitingFiles(path)).toThrow(/\.git\/config is not a file/);
});

it("so is one with an object that is a named pipe", () => {
  const top = repository();
  const [oid = ""] = git(top, "rev-parse", "HEAD").split("\n");
  const object = join(top, ".git/objects", oid.slice(0, 2), oid.slice(2));
  rmSync(object);
  execFileSync("mkfifo", [object]);
  expect(() => refuseWaitingFiles(top)).toThrow(object);
});

it("what is usual there is not: a socket of git's own, a bare repository, and a folder in none", async () => {
  const top = repository();
  const server = createServer().listen(join(top, ".git/fsmonitor--daemon.ipc"));
  onTestFinished(() => void server.close());
  await once(server, "listening");
  await expect(openRepository(top)).resolves.toMatchObject({ branch: "main" });
  const bare = join(temporaryFolder(), "bare.git");
  git(top, "clone", "-q", "--bare", top, bare);
  await expect(openRepository(bare)).resolves.toMatchObject({ isBare: true });
  expect(() => refuseWaitingFiles(temporaryFolder())).not.toThrow();
});

function repository(): string {
  const top = join(temporaryFolder(), "project");
  execFileSync("git", ["init", "-q", "-b", "main", top]);
  writeFileSync(join(top, "file"), "content\n");
  git(top, "add", "file");
  git(top, "-c", "user.name=A", "-c", "user.email=a@example.test", "commit", "-q", "-m", "one");
  return top;
}

function git(folder: string, ...words: string[]): string {
  return execFileSync("git", ["-C", folder, ...words], { encoding: "utf8", stdio: "pipe" });
}
