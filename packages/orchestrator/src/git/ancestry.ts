import { checkedOid } from "./oid.ts";
import type { OwnGit } from "./own-git.ts";

/** Whether one commit is in the history of the other, or is the same. Both must be there. */
export async function isAncestor(own: OwnGit, ancestor: string, commit: string): Promise<boolean> {
  const common = await own.run(["merge-base", checkedOid(ancestor), checkedOid(commit)], { allow: [1] });
  return common.trim() === ancestor;
}
