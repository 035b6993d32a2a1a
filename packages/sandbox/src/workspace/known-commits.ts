import type { Ref } from "./bundle.ts";
import { gitAnswer } from "./host-git.ts";
import type { Repository } from "./repository.ts";

/** The commits that need not travel again: where the clone started, and what was fetched before. */
export async function knownCommits(
  repository: Repository,
  base: string | null | undefined,
  fetched: readonly Ref[],
): Promise<string[]> {
  const known = new Set(fetched.map(({ oid }) => oid));
  // The user may have thrown the base away since; then all of it comes back.
  const args = ["rev-parse", "--quiet", "--verify", "--end-of-options", `${base}^{commit}`];
  const found = base ? await gitAnswer(repository.path, args) : undefined;
  if (found) known.add(found);
  return [...known];
}
