import { hasUncommitted, printable, type Repository } from "@opentiger/sandbox";
import { objectContents } from "./objects.ts";
import type { OwnGit } from "./own-git.ts";
import { walkTree } from "./tree-listing.ts";

/** A longer list is nobody's to read. */
const mostNamed = 5;

/** One that is longer is hardly written by hand, and only a note depends on it. */
const longestAttributes = 64 * 1024;

/** What is odd about a repository, and what that means for the loop: each thing in a sentence. */
export async function baseNotes(own: OwnGit, user: Repository, baseOid: string): Promise<string[]> {
  const [dirty, content] = await Promise.all([hasUncommitted(user, own.signal), oddContent(own, baseOid)]);
  return [
    ...(dirty ? ["uncommitted changes stay where they are: the loop starts from the commit"] : []),
    ...(user.branch === undefined ? ["HEAD is detached: the result is a branch all the same"] : []),
    ...(user.isShallow ? ["the history is shallow, and agents see no more of it than there is"] : []),
    ...(content.submodules.length > 0
      ? [
          `submodules are empty folders in the sandboxes, unless the set-up fills them: ${named(content.submodules)}`,
        ]
      : []),
    ...(content.usesLfs
      ? ["files that Git LFS keeps are pointers in the sandboxes, unless the set-up fetches them"]
      : []),
  ];
}

export function emptyNotes(user: Repository): string[] {
  const branch = user.branch === undefined ? "it" : `\`${user.branch}\``;
  return [`the repository has no commit yet: the loop starts from an empty one, and ${branch} stays without`];
}

async function oddContent(own: OwnGit, commit: string): Promise<{ submodules: string[]; usesLfs: boolean }> {
  const submodules: string[] = [];
  const attributes: string[] = [];
  for await (const { path, mode, oid, size } of walkTree(own, commit)) {
    if (mode === "160000") submodules.push(path);
    const isSettings = path === ".gitattributes" || path.endsWith("/.gitattributes");
    if (isSettings && mode.startsWith("100") && size < longestAttributes) attributes.push(oid);
  }
  const contents = await objectContents(own, attributes);
  const usesLfs = [...contents.values()].some((content) => /\bfilter=lfs\b/.test(content.toString("latin1")));
  return { submodules, usesLfs };
}

function named(paths: readonly string[]): string {
  const shown = paths.slice(0, mostNamed).map((path) => printable(path, 100));
  const more = paths.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}
