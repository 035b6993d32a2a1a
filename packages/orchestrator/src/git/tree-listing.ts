import { posix } from "node:path";
import { checkedOid } from "./oid.ts";
import type { OwnGit } from "./own-git.ts";
import { pathOf } from "./path-bytes.ts";
import { pathMatcher } from "./path-matcher.ts";
import { records } from "./records.ts";
import type { TreeEntry } from "./tree-entry.ts";

/** All files of a commit or tree, with their sizes, in git's order; of those that match, where that is asked for. */
export async function listTree(
  own: OwnGit,
  tree: string,
  patterns: readonly string[] | undefined,
): Promise<TreeEntry[]> {
  const matches = patterns ? pathMatcher(patterns) : () => true;
  const found: TreeEntry[] = [];
  for await (const entry of walkTree(own, tree)) if (matches(entry.path)) found.push(entry);
  return found;
}

/** The same one by one: a tree may have more files than are wanted in memory. */
export async function* walkTree(own: OwnGit, tree: string): AsyncGenerator<TreeEntry, void> {
  const listed = own.stream(["ls-tree", "-r", "-z", "--long", "--full-tree", checkedOid(tree)]);
  for await (const record of records(listed)) yield entryOf(record);
}

/** The file at exactly this path. */
export async function findInTree(own: OwnGit, tree: string, path: string): Promise<TreeEntry | undefined> {
  // What is no plain path below the top can be in no tree, and git would complain instead of saying so.
  if (/^\.{0,2}$|^\/|\0|^\.{1,2}\//.test(path) || posix.normalize(path) !== path) return undefined;
  const listed = own.stream(["ls-tree", "-z", "--long", "--full-tree", checkedOid(tree), "--", path]);
  for await (const record of records(listed)) {
    const entry = entryOf(record);
    if (entry.path === path) return entry;
  }
  return undefined;
}

/** `100644 blob OID    SIZE\tPATH`, where the size of what has none is a dash. */
function entryOf(record: Buffer): TreeEntry {
  const tab = record.indexOf("\t");
  const [mode = "", , oid = "", size] = record.toString("latin1", 0, tab).split(/ +/);
  return { path: pathOf(record.subarray(tab + 1)), mode, oid, size: Number(size) || 0 };
}
