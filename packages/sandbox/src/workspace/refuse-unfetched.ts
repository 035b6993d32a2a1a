import type { SandboxRecord } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import type { Sandbox } from "../sandbox.ts";
import { type Unfetched, unfetchedCommits } from "./unfetched.ts";

/** As many as a person reads. */
const namedCommits = 10;

export interface CloneToRemove {
  name: string;
  repository: NonNullable<SandboxRecord["repository"]>;
  /** Where the clone stands. */
  path: string;
  open: () => Promise<Sandbox>;
}

/** Throws, and names them, when a clone that is about to be removed has commits that are nowhere else. */
export async function refuseUnfetched(clone: CloneToRemove): Promise<void> {
  const unfetched = await look(clone);
  if (unfetched.commits.length > 0) throw losingCommits(clone.name, unfetched);
}

async function look({ name, repository, path, open }: CloneToRemove): Promise<Unfetched> {
  const { path: own, source = own, commit: base } = repository;
  try {
    const sandbox = await open();
    try {
      return await unfetchedCommits(sandbox, { repository: source, name, path, base });
    } finally {
      await sandbox.close();
    }
  } catch (cause) {
    if (!(cause instanceof SandboxError)) throw cause;
    // Somebody removed what it was in: there is nothing left to lose.
    if (cause.code === "not_found") return { commits: [], uncommitted: false };
    throw new SandboxError(
      "unfetched_commits",
      `whether ${name} holds commits that were not fetched cannot be told: ${cause.message}`,
      { remedy: `remove it with all that may be in it: docker sandbox rm --force ${name}`, cause },
    );
  }
}

function losingCommits(name: string, { commits, uncommitted }: Unfetched): SandboxError {
  const lines = commits.slice(0, namedCommits).map(({ oid, subject }) => `  ${oid.slice(0, 12)} ${subject}`);
  const more = commits.length > namedCommits ? [`  and ${commits.length - namedCommits} more`] : [];
  const loose = uncommitted ? ["  and changes that were not committed"] : [];
  return new SandboxError(
    "unfetched_commits",
    [`${name} holds commits that were not fetched:`, ...lines, ...more, ...loose].join("\n"),
    { remedy: `opentiger sandbox fetch ${name}, or docker sandbox rm --force ${name}` },
  );
}
