import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type CheckedWorkspace, type Forbidden, isWithin, refused, refuseForbidden } from "./rules.ts";

/** git writes one path into these files. */
const longestPointer = 8192;

/**
 * The repository that a linked worktree needs beside it, if the workspace is one. A `.git` *file* may have been
 * written by an agent to have any folder mounted, so it is believed only when the folder it names is a worktree's
 * and points back at this very file. Everything that looks otherwise is refused.
 */
export function mainRepositoryOf(
  workspace: CheckedWorkspace,
  forbidden: Forbidden,
): CheckedWorkspace | undefined {
  const pointer = join(workspace.path, ".git");
  const kind = kindOf(pointer);
  if (kind === "nothing" || kind === "folder") return undefined;
  if (kind !== "file") throw odd(workspace.path, `${pointer} is a ${kind}`);

  const named = /^gitdir: (.+)$/.exec(readPointer(pointer) ?? "")?.[1];
  if (named === undefined) throw odd(workspace.path, `${pointer} does not name a repository`);
  const gitDir = realFolder(resolve(workspace.path, named));
  if (gitDir === undefined) throw odd(workspace.path, `${pointer} names ${named}, which does not exist`);

  const main = dirname(dirname(gitDir));
  if (basename(dirname(gitDir)) !== "worktrees" || !isRepository(main)) {
    throw odd(workspace.path, `${pointer} names ${gitDir}, which is not a worktree of a repository`);
  }
  if (!pointsBack(gitDir, pointer)) {
    throw odd(workspace.path, `${gitDir} is the worktree of another folder and does not point back here`);
  }
  if (realFolder(resolve(gitDir, readPointer(join(gitDir, "commondir")) ?? "")) !== main) {
    throw odd(workspace.path, `the commondir of ${gitDir} leads elsewhere`);
  }
  if (isWithin(main, workspace.path)) return undefined;
  refuseForbidden(main, forbidden);
  const { uid, gid } = statSync(main);
  return { path: main, readOnly: workspace.readOnly, uid, gid };
}

function kindOf(path: string): "nothing" | "folder" | "file" | "symlink" | "special file" {
  try {
    const found = lstatSync(path);
    if (found.isSymbolicLink()) return "symlink";
    if (found.isDirectory()) return "folder";
    return found.isFile() ? "file" : "special file";
  } catch {
    return "nothing";
  }
}

function pointsBack(gitDir: string, pointer: string): boolean {
  const back = readPointer(join(gitDir, "gitdir"));
  if (back === undefined) return false;
  try {
    return realpathSync(resolve(gitDir, back)) === realpathSync(pointer);
  } catch {
    return false;
  }
}

function isRepository(folder: string): boolean {
  return (
    ["objects", "refs"].every((name) => realFolder(join(folder, name)) !== undefined) &&
    readPointer(join(folder, "HEAD")) !== undefined
  );
}

function realFolder(path: string): string | undefined {
  try {
    const found = realpathSync(path);
    return statSync(found).isDirectory() ? found : undefined;
  } catch {
    return undefined;
  }
}

/** One line of a regular file; a FIFO or a device put there must not hang us. */
function readPointer(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const buffer = Buffer.alloc(longestPointer);
    const text = buffer.toString("utf8", 0, readSync(file, buffer, 0, longestPointer, 0));
    return text.replace(/\r?\n$/, "");
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

function odd(workspace: string, why: string): Error {
  return refused(
    workspace,
    `is not a plain repository nor a linked worktree: ${why}`,
    "repair it with `git worktree repair`, or use --clone, which mounts nothing of the host",
  );
}
