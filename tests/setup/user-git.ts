import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Nothing of this machine's settings, and an author. */
const environment = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
};

/** What git tidies up in the background would still write into a folder that is being removed. */
const settings = ["protocol.file.allow=always", "init.defaultBranch=main", "maintenance.auto=false"].flatMap(
  (setting) => ["-c", setting],
);

/** Runs git as a user would, in a repository of the test's. */
export function userGit(folder: string, ...args: readonly string[]): string {
  return userGitWith(folder, "", ...args);
}

/** The same, with something to read. */
export function userGitWith(folder: string, input: string | Buffer, ...args: readonly string[]): string {
  return execFileSync("git", ["-C", folder, ...settings, ...args], {
    env: environment,
    encoding: "utf8",
    input,
    stdio: ["pipe", "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
  }).trim();
}

export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "opentiger-git-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A repository with some history, at `folder`. */
export function makeRepository(folder: string, ...init: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  userGit(folder, "init", "-q", ...init);
  commitFile(folder, "README.md", "first\n");
  commitFile(folder, "src/main.ts", "console.log(1);\n");
  return folder;
}

export function commitFile(folder: string, path: string, content: string): string {
  return commitFiles(folder, { [path]: content });
}

/** null: the file is removed. */
export function commitFiles(folder: string, files: Readonly<Record<string, string | Buffer | null>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    if (content === null) rmSync(join(folder, path));
    else writeFileSync(join(folder, path), content);
  }
  userGit(folder, "add", "-A");
  userGit(folder, "commit", "-q", "-m", `change ${Object.keys(files).join(", ").slice(0, 100)}`);
  return userGit(folder, "rev-parse", "HEAD");
}

/** Content, mode and times of everything below a folder, `.git` included: equal means untouched. */
export function fingerprint(
  folder: string,
  except: (path: string) => boolean = () => false,
): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (below: string): void => {
    const path = join(folder, below);
    const info = lstatSync(path);
    if (info.isDirectory()) {
      found[below] = except(below) ? "" : `${info.mode} ${info.mtimeMs}`;
      for (const name of readdirSync(path)) visit(join(below, name));
    } else if (!except(below)) found[below] = fileFingerprint(path, info);
  };
  visit("");
  return found;
}

/** The same for a folder in which something may come and go: what is excepted is left out, and no folder has a time. */
export function fingerprintOfRest(
  folder: string,
  except: (path: string) => boolean = () => false,
): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (below: string): void => {
    if (except(below)) return;
    const path = join(folder, below);
    const info = lstatSync(path);
    found[below] = info.isDirectory() ? String(info.mode) : fileFingerprint(path, info);
    if (info.isDirectory()) for (const name of readdirSync(path)) visit(join(below, name));
  };
  visit("");
  return found;
}

function fileFingerprint(path: string, info: Stats): string {
  const content = info.isSymbolicLink() ? readlinkSync(path) : readFileSync(path);
  return `${info.mode} ${info.mtimeMs} ${createHash("sha256").update(content).digest("hex")}`;
}
