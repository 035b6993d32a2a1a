import type { LoopRepository } from "../git/repository.ts";
import type { TaskRow } from "../state/tasks.ts";

export interface ToMerge {
  tip: string;
  baseOid: string;
  candidateOid: string;
  held: readonly Pick<TaskRow, "baseOid" | "candidateOid">[];
}

/** Of commits that no branch ever has: the same input is the same commit. */
const nobody = { name: "openTiger", email: "opentiger@localhost" };
const longAgo = new Date(0);

export type MergedCandidate =
  | {
      ok: true;
      tree: string;
      /** The tip, with the tests that were held for the candidate on it: what it is to be compared with. */
      onto: string;
    }
  | { ok: false; conflicts: string[] };

/**
 * The tree of the loop's branch with a candidate on it, and with the tests that were held for it. Nobody's merge driver
 * or filter has a say in it; the same input is always the same tree. What is judged and what is merged is this.
 */
export async function mergeCandidate(
  repository: Pick<LoopRepository, "mergeTrees" | "commit">,
  { tip, baseOid, candidateOid, held }: ToMerge,
): Promise<MergedCandidate> {
  let onto = tip;
  for (const tests of held) {
    if (tests.baseOid === null || tests.candidateOid === null) continue;
    const merged = await repository.mergeTrees({
      base: tests.baseOid,
      ours: onto,
      theirs: tests.candidateOid,
    });
    if (!merged.ok) return merged;
    onto = await commitOf(repository, merged.tree, onto);
  }
  const merged = await repository.mergeTrees({ base: baseOid, ours: onto, theirs: candidateOid });
  return merged.ok ? { ...merged, onto } : merged;
}

/** A commit for git to work with: what sandboxes start at, and what trees are compared by. */
export async function commitOf(
  repository: Pick<LoopRepository, "commit">,
  tree: string,
  parent: string,
): Promise<string> {
  return repository.commit({
    tree,
    parents: [parent],
    message: "A candidate\n",
    author: nobody,
    date: longAgo,
  });
}
