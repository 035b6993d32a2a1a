import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { scratchName } from "./bare-repository.ts";
import { checkedOid, noneLike } from "./oid.ts";
import type { OwnGit } from "./own-git.ts";
import { bytesOf, pathOf } from "./path-bytes.ts";
import { type RawChange, rawChanges } from "./raw-changes.ts";
import { records } from "./records.ts";

export interface PathsToRestore {
  tree: string;
  /** The commit whose content they get. */
  from: string;
  isRestored: (path: string) => boolean;
}

/**
 * The tree with these paths as another commit has them: what that one does not have is removed, and what stands in the
 * way makes room. Says which paths are other ones than before.
 */
export async function restorePaths(
  own: OwnGit,
  { tree, from, isRestored }: PathsToRestore,
): Promise<{ tree: string; restored: string[] }> {
  const wanted: RawChange[] = [];
  for await (const change of rawChanges(own, tree, from)) {
    if (isRestored(change.path)) wanted.push(change);
  }
  if (wanted.length === 0) return { tree, restored: [] };
  const result = await applied(own, tree, wanted);
  return { tree: result, restored: await differingPaths(own, tree, result) };
}

/** In an index of our own, of which there is no other user. */
async function applied(own: OwnGit, tree: string, changes: readonly RawChange[]): Promise<string> {
  const index = join(own.path, scratchName, `index-${randomBytes(6).toString("hex")}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    await own.run(["read-tree", checkedOid(tree)], { env });
    await own.run(["update-index", "-z", "--replace", "--index-info"], { env, input: entries(changes) });
    return (await own.run(["write-tree"], { env })).trim();
  } finally {
    await Promise.all([index, `${index}.lock`].map((path) => rm(path, { force: true })));
  }
}

/** Removals first: what is put back may need the place. */
async function* entries(changes: readonly RawChange[]): AsyncGenerator<Buffer, void> {
  const removed = changes.filter(({ newMode }) => newMode === null);
  const put = changes.filter(({ newMode }) => newMode !== null);
  for (const { path, oldOid, newMode, newOid } of [...removed, ...put]) {
    const what = newMode === null ? `0 ${noneLike(oldOid ?? "")}` : `${newMode} ${newOid}`;
    yield Buffer.concat([Buffer.from(`${what}\t`), bytesOf(path), Buffer.from([0])]);
  }
}

async function differingPaths(own: OwnGit, from: string, to: string): Promise<string[]> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to];
  const paths: string[] = [];
  for await (const record of records(own.stream(args))) paths.push(pathOf(record));
  return paths;
}
