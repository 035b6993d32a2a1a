import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { errno } from "@opentiger/schema";
import { z } from "zod";
import { forgetTranscripts } from "../../agent/run-files.ts";
import type { Place } from "../../place.ts";
import { allRows } from "../../state/rows.ts";
import type { CleanOptions } from "./clean-options.ts";
import { ageOf, namesIn } from "./folder-entries.ts";

const runRow = z.object({
  id: z.string(),
  /** Nobody takes it over any more. */
  ended: z.boolean(),
  /** The same, and its loop is over. */
  over: z.boolean(),
  artifacts: z.array(z.string()),
});

/** So many are looked at with one question. */
const batchSize = 500;

/** A folder is there before its run's row is seen; one that is so old belongs to none. */
const strayAgeMs = 3_600_000;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Leaves of the folders of runs what is an artifact, as soon as the run and its loop are over: notes for whoever would
 * have taken them over and files of agents go. What CLIs printed, which nobody has redacted, goes as soon as the run has
 * ended. A folder of no known run goes as a whole.
 */
export async function cleanRunFolders(
  place: Place,
  { signal, endedWithinMs }: CleanOptions = {},
): Promise<void> {
  const folder = join(place.folder, "runs");
  const names = (await namesIn(folder)).filter((name) => uuid.test(name));
  for (let start = 0; start < names.length && !signal?.aborted; start += batchSize) {
    const batch = names.slice(start, start + batchSize);
    const runs = new Map((await runsOf(place, batch, endedWithinMs)).map((run) => [run.id, run]));
    for (const name of batch) {
      const run = runs.get(name);
      const path = join(folder, name);
      if (run?.over) await keepOnly(path, new Set(run.artifacts));
      else if (run?.ended) forgetTranscripts(place, run);
      else if (!run && (await ageOf(path)) > strayAgeMs) await rm(path, { recursive: true, force: true });
    }
  }
}

async function runsOf(
  { database }: Place,
  ids: readonly string[],
  endedWithinMs: number | undefined,
): Promise<z.infer<typeof runRow>[]> {
  return allRows(
    database,
    runRow,
    `select r.id, r.status <> 'running'
         and ($2::float8 is null or r.ended_at > now() - $2 * interval '1 millisecond') as ended,
       r.status <> 'running' and l.status in ('done', 'failed', 'cancelled')
         and ($2::float8 is null or l.ended_at > now() - $2 * interval '1 millisecond') as over,
       array(select a.path from artifacts a where a.run_id = r.id) as artifacts
     from runs r join loops l on l.id = r.loop_id where r.id = any ($1::uuid[])`,
    [ids, endedWithinMs ?? null],
  );
}

/** Of everything below this folder; one that is empty then goes too. */
async function keepOnly(folder: string, kept: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await keepOnly(path, kept);
    else if (!kept.has(path)) await rm(path, { force: true });
  }
  await rmdir(folder).catch((error: unknown) => {
    if (errno(error) !== "ENOTEMPTY") throw error;
  });
}
