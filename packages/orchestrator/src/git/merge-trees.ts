import { writeCommit } from "./commit.ts";
import { checkedOid } from "./oid.ts";
import { memoryKib, type OwnGit } from "./own-git.ts";
import { pathOf } from "./path-bytes.ts";
import { records } from "./records.ts";

export interface TreesToMerge {
  /** Commits or trees. */
  base: string;
  ours: string;
  theirs: string;
}

export type MergedTrees = { ok: true; tree: string } | { ok: false; conflicts: string[] };

/**
 * What both have made of the base, as one tree; or the paths on which they disagree. No work tree, no index, no driver
 * of anyone's: lines are merged as git does it by itself.
 */
export async function mergeTrees(own: OwnGit, { base, ours, theirs }: TreesToMerge): Promise<MergedTrees> {
  const trees = await treesOf(own, base, ours, theirs);
  // Mostly the branch is where the candidate began.
  if (trees.ours === trees.base) return { ok: true, tree: trees.theirs };
  if (trees.theirs === trees.base) return { ok: true, tree: trees.ours };
  const root = await standIn(own, trees.base, []);
  const sides = [await standIn(own, trees.ours, [root]), await standIn(own, trees.theirs, [root])];
  const said: string[] = [];
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--messages", ...sides];
  for await (const record of records(own.stream(args, { memoryKib, allow: [1] }))) said.push(pathOf(record));
  const [tree = "", ...troubles] = said;
  const conflicts = conflictsIn(troubles);
  return conflicts.length === 0 ? { ok: true, tree: checkedOid(tree) } : { ok: false, conflicts };
}

async function treesOf(own: OwnGit, ...commits: [string, string, string]): Promise<TreesToMerge> {
  const said = await own.run(["rev-parse", ...commits.map((oid) => `${checkedOid(oid)}^{tree}`)]);
  const [base = "", ours = "", theirs = ""] = said.split("\n");
  return { base: checkedOid(base), ours: checkedOid(ours), theirs: checkedOid(theirs) };
}

/**
 * The paths that are in conflict; then, behind an empty record, messages, each with its number of paths, the paths, a
 * kind and a text. A merge without trouble has `Auto-merging` among its kinds at most.
 */
function conflictsIn(troubles: readonly string[]): string[] {
  const end = troubles.indexOf("");
  const paths = new Set(end === -1 ? troubles : troubles.slice(0, end));
  const messages = end === -1 ? [] : troubles.slice(end + 1);
  for (let at = 0; at < messages.length; ) {
    const kind = at + 1 + Number(messages[at]);
    if (messages[kind]?.startsWith("CONFLICT"))
      for (const path of messages.slice(at + 1, kind)) paths.add(path);
    at = kind + 2;
  }
  return [...paths];
}

/** git takes commits and finds the base itself; the same ones each time, so that they are written once. */
async function standIn(own: OwnGit, tree: string, parents: readonly string[]): Promise<string> {
  const author = { name: "openTiger", email: "opentiger@localhost" };
  return writeCommit(own, { tree, parents, message: "merged\n", author, date: new Date(0) });
}
