import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../place.ts";

/** Of one run: its journal, the CLI's transcripts, events and artifacts. For the owner alone. */
export function runFolder({ folder }: Pick<Place, "folder">, run: { id: string }): string {
  return join(folder, "runs", run.id);
}

/** What the CLIs of a run print, as they print it; each of them has one whose name begins so. */
export function transcriptFile(place: Pick<Place, "folder">, run: { id: string }): string {
  return join(runFolder(place, run), transcriptName);
}

const transcriptName = "transcript";

/**
 * Removes what the CLIs of a run printed, which is kept as it was printed, secrets and all. It is needed only for as long
 * as another process may take the run over: until its outcome is in the database.
 * Where whoever ended it is killed before this, the reconciler does it.
 */
export function forgetTranscripts(place: Pick<Place, "folder">, run: { id: string }): void {
  const folder = runFolder(place, run);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.startsWith(transcriptName)) rmSync(join(folder, name), { force: true });
}

/** Conversations of all runs, so that they outlive their sandboxes. */
export function sessionsFolder({ folder }: Pick<Place, "folder">): string {
  return join(folder, "sessions");
}

/** What agents did and said, an AgentEvent a line. */
export function eventsFile(place: Pick<Place, "folder">, run: { id: string }): string {
  return join(runFolder(place, run), "events.ndjson");
}
