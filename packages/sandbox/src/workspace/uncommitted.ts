import { anySignal } from "@opentiger/schema";
import { git } from "./host-git.ts";
import type { Repository } from "./repository.ts";

/** It is only for a sentence of advice; a huge work tree must not hold anything up. */
const patienceMs = 3000;

/**
 * Whether the user's checkout has changes that no commit holds. Looks only: the index is not refreshed, no
 * content filter is run and no submodule is entered. Undefined when that could not be told in time.
 */
export async function hasUncommitted(
  repository: Repository,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  if (repository.isBare) return false;
  const filters = [...repository.settings.keys()].filter((name) =>
    /^filter\..*\.(clean|smudge|process)$/s.test(name),
  );
  // Such a name cannot be switched off from the command line, so the question is not asked.
  if (filters.some((name) => name.includes("="))) return undefined;
  const off = filters.flatMap((name) => ["-c", `${name}=`]);
  const patience = AbortSignal.timeout(patienceMs);
  try {
    const args = [...off, "status", "--porcelain", "-z", "--ignore-submodules=all", "--no-renames"];
    const found = await git(repository.path, args, {
      signal: signal ? anySignal([signal, patience]) : patience,
    });
    return found !== "";
  } catch {
    return undefined;
  }
}
