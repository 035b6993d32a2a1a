import { rm } from "node:fs/promises";
import { join } from "node:path";
import { agentKinds } from "@opentiger/schema";
import { z } from "zod";
import { sessionsFolder } from "../../agent/run-files.ts";
import type { Place } from "../../place.ts";
import { allRows } from "../../state/rows.ts";
import type { CleanOptions } from "./clean-options.ts";
import { ageOf, namesIn } from "./folder-entries.ts";

const sessionRow = z.object({ session: z.string(), needed: z.boolean() });

/** So many are looked at with one question. */
const batchSize = 500;

/** As they are called: by agent and id. */
const pattern = new RegExp(`^(?:${agentKinds.join("|")})-(.+)$`);

/**
 * Removes conversations that nobody goes on with: those of loops that are done or were cancelled, and of others, or of
 * no known run, when they are as old as artifacts may become.
 */
export async function removeConversations(place: Place, { signal }: CleanOptions = {}): Promise<void> {
  const folder = sessionsFolder(place);
  const names = await namesIn(folder);
  const keepMs = place.config.get("OPENTIGER_ARTIFACT_TIME");
  for (let start = 0; start < names.length && !signal?.aborted; start += batchSize) {
    const batch = names.slice(start, start + batchSize);
    const known = await knownSessions(place, batch.map(idOf));
    for (const name of batch) {
      const path = join(folder, name);
      if (known.get(idOf(name)) === false || (await ageOf(path)) > keepMs) await rm(path, { force: true });
    }
  }
}

/** Whether each may still be resumed; those of which nothing is known are not among them. */
async function knownSessions({ database }: Place, ids: readonly string[]): Promise<Map<string, boolean>> {
  const rows = await allRows(
    database,
    sessionRow,
    `select r.session, bool_or(l.status not in ('done', 'cancelled')) as needed
     from runs r join loops l on l.id = r.loop_id where r.session = any ($1::text[]) group by r.session`,
    [ids],
  );
  return new Map(rows.map(({ session, needed }) => [session, needed]));
}

function idOf(name: string): string {
  return pattern.exec(name)?.[1] ?? name;
}
