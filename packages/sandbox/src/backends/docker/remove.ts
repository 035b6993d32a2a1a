import type { SandboxRecord } from "@opentiger/schema";
import { SandboxError } from "../../errors.ts";
import { checkName } from "../../names.ts";
import type { RemoveOptions } from "../../sandbox.ts";
import { creatorLives } from "../../state/creator.ts";
import { type Unfetched, unfetchedCommits } from "../../workspace/unfetched.ts";
import { discard } from "./discard.ts";
import { elsewhere } from "./inspect.ts";
import { notFound, openSandbox } from "./open.ts";
import type { Place } from "./place.ts";

/** As many as a person reads. */
const namedCommits = 10;

/** Removes a sandbox, finished, broken or half removed. Commits in a clone that are nowhere else stop it first. */
export async function removeSandbox(place: Place, name: string, options: RemoveOptions): Promise<void> {
  const record = place.state.records.findByName(checkName(name));
  if (!record || record.state === "parked") throw notFound(name);
  if (record.engine !== place.facts.id) throw elsewhere(place, record);
  if (record.state === "creating" && creatorLives(record)) throw unfinished(record);
  if (record.state === "adopted" && record.repository && !options.force) await refuseUnfetched(place, record);
  await discard(place, record);
}

async function refuseUnfetched(place: Place, record: SandboxRecord): Promise<void> {
  const unfetched = await look(place, record);
  if (unfetched.commits.length > 0) throw losingCommits(record, unfetched);
}

async function look(place: Place, record: SandboxRecord): Promise<Unfetched> {
  const none = { commits: [], uncommitted: false };
  if (!record.repository) return none;
  const { path, commit } = record.repository;
  try {
    const sandbox = await openSandbox(place, record.name);
    try {
      return await unfetchedCommits(sandbox, { repository: path, name: record.name, path, base: commit });
    } finally {
      await sandbox.close();
    }
  } catch (cause) {
    if (!(cause instanceof SandboxError)) throw cause;
    // Somebody removed its container: there is nothing left to lose.
    if (cause.code === "not_found") return none;
    throw new SandboxError(
      "unfetched_commits",
      `whether ${record.name} holds commits that were not fetched cannot be told: ${cause.message}`,
      { remedy: `remove it with all that may be in it: docker sandbox rm --force ${record.name}`, cause },
    );
  }
}

function losingCommits(record: SandboxRecord, { commits, uncommitted }: Unfetched): SandboxError {
  const lines = commits.slice(0, namedCommits).map(({ oid, subject }) => `  ${oid.slice(0, 12)} ${subject}`);
  const more = commits.length > namedCommits ? [`  and ${commits.length - namedCommits} more`] : [];
  const loose = uncommitted ? ["  and changes that were not committed"] : [];
  return new SandboxError(
    "unfetched_commits",
    [`${record.name} holds commits that were not fetched:`, ...lines, ...more, ...loose].join("\n"),
    { remedy: `opentiger sandbox fetch ${record.name}, or docker sandbox rm --force ${record.name}` },
  );
}

function unfinished(record: SandboxRecord): SandboxError {
  return new SandboxError(
    "sandbox_broken",
    `${record.name} is still being created, by process ${record.creatorPid}`,
    { remedy: "wait until that is finished, or end that process" },
  );
}
