import { type Dirent, lstatSync, readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SandboxError } from "../errors.ts";

/** Of a repository with more files than that the first ones are looked at; for the rest git's questions have their time. */
const mostEntries = 20_000;

/**
 * Refuses a repository that holds what git would wait for without an end when it reads it: a named pipe or a device in
 * place of a file. Nothing is opened that is not a plain file. A folder in no repository is left to git.
 */
export function refuseWaitingFiles(path: string): void {
  for (const folder of gitFolders(path)) {
    const found = waitingFile(folder);
    if (found) throw refused(found);
  }
}

/** What holds the repository in which a folder lies; where it is a work tree of another, what both share as well. */
function gitFolders(path: string): string[] {
  const own = gitFolder(resolve(path));
  if (own === undefined) return [];
  const common = lineIn(join(own, "commondir"));
  return common === undefined ? [own] : [own, resolve(own, common)];
}

function gitFolder(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    const git = join(at, ".git");
    const found = statOf(git);
    if (found?.isDirectory()) return git;
    if (found?.isFile()) return resolve(at, (lineIn(git) ?? "").replace(/^gitdir: /, ""));
    if (statOf(join(at, "HEAD")) && statOf(join(at, "objects"))?.isDirectory()) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** The folders near the top first: that is what every question to git reads. */
function waitingFile(folder: string): string | undefined {
  const waiting = [folder];
  let seen = 0;
  for (let at = waiting.shift(); at !== undefined && seen < mostEntries; at = waiting.shift()) {
    const entries = entriesOf(at);
    seen += entries.length;
    for (const entry of entries) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (isWaiting(entry.isSymbolicLink() ? statOf(path) : entry)) return path;
    }
  }
  return undefined;
}

/** A socket is none of them: it cannot be opened as a file, and git has one of its own there. */
function isWaiting(file: Dirent | Stats | undefined): boolean {
  return file !== undefined && (file.isFIFO() || file.isCharacterDevice() || file.isBlockDevice());
}

/** Longer than any path that git takes. */
const longestPath = 8_192;

/** A line that leads elsewhere; undefined where there is no such file. */
function lineIn(path: string): string | undefined {
  const found = statOf(path);
  return found?.isFile() && found.size <= longestPath ? readFileSync(path, "utf8").trim() : undefined;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** What cannot be looked at is git's to complain of. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function refused(path: string): SandboxError {
  const kind = lstatSync(path).isFIFO() ? "a named pipe" : "not a file but leads to something else";
  return new SandboxError("workspace_refused", `${path} is ${kind}: git would wait for it without an end`, {
    remedy: `look where it comes from, and put the file back that belongs there, or remove it: rm ${path}`,
  });
}
