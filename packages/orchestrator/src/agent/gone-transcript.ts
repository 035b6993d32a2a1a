import { existsSync } from "node:fs";
import type { Place } from "../place.ts";
import type { RunRow } from "../state/runs.ts";
import { eventsFile } from "./run-files.ts";

const gone =
  "The transcript is not kept any more: OPENTIGER_ARTIFACT_TIME says how long transcripts are kept, and OPENTIGER_ARTIFACTS_SIZE how much disk all that is kept of runs may take.";

/** Why there is nothing to read of a run whose agents did say something. null: what they said is there. */
export function whyTranscriptIsGone(
  place: Pick<Place, "folder">,
  run: Pick<RunRow, "id" | "state" | "lastSeq">,
): string | null {
  if (run.state === "running" || run.lastSeq === 0 || existsSync(eventsFile(place, run))) return null;
  return gone;
}
