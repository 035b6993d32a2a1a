import { stat } from "node:fs/promises";
import { errno } from "@opentiger/schema";
import type { Place } from "../place.ts";
import { addArtifact } from "../state/artifacts.ts";
import { type Change, change } from "../state/change.ts";
import type { Queryable } from "../state/rows.ts";
import { eventsFile } from "./run-files.ts";

export type RunEnd = Pick<Change<"run">, "id" | "by" | "fence" | "set" | "data">;

/** As little of a place as the end of a run needs. */
export type EndPlace = Pick<Place, "config" | "folder">;

/**
 * Ends a run, however it ended: what its agents did and said becomes an artifact in the same transaction, and so is kept
 * for as long as those are. Everything else in the run's folder goes with its loop. false: the run has ended already, or
 * is somebody else's, and nothing was changed.
 */
export async function endRun(place: EndPlace, on: Queryable, end: RunEnd): Promise<boolean> {
  if (!(await change(on, { what: "run", from: "running", ...end })).changed) return false;
  const path = eventsFile(place, end);
  const bytes = await sizeOf(path);
  if (bytes === undefined) return true;
  const keepMs = place.config.get("OPENTIGER_ARTIFACT_TIME");
  await addArtifact(on, { run: end.id, kind: "transcript", path, bytes, keepMs });
  return true;
}

/** undefined: an agent that never began has said nothing. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
}
