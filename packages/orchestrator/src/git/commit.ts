import { OrchestratorError } from "../errors.ts";
import type { GitAuthor } from "./author.ts";
import { checkedOid } from "./oid.ts";
import type { OwnGit } from "./own-git.ts";

export interface NewCommit {
  tree: string;
  parents: readonly string[];
  message: string;
  author: GitAuthor;
  date: Date;
}

/** The same input gives the same commit, so that what is done twice is done once. */
export async function writeCommit(own: OwnGit, commit: NewCommit): Promise<string> {
  if (commit.message.includes("\0"))
    throw new OrchestratorError("internal", "a commit's message holds a zero byte");
  const parents = commit.parents.flatMap((oid) => ["-p", checkedOid(oid)]);
  const date = `@${Math.floor(commit.date.getTime() / 1000)} +0000`;
  const { name, email } = commit.author;
  const said = await own.run(["commit-tree", ...parents, "-F", "-", checkedOid(commit.tree)], {
    input: commit.message,
    env: {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_COMMITTER_DATE: date,
    },
  });
  return said.trim();
}
