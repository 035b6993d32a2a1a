import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeAtomically } from "../../../state/atomic-file.ts";
import type { State } from "../../../state/state.ts";
import type { Place } from "../place.ts";

const savedNote = z.object({
  version: z.literal(1),
  id: z.string(),
  reference: z.string(),
  engine: z.string(),
  /** null while it is being made. */
  imageId: z.string().nullable(),
  creatorPid: z.number().int(),
  createdAt: z.string(),
});
export type SavedNote = z.infer<typeof savedNote>;

/**
 * Which images are ours is what these notes say: a label is copied into every image that somebody makes of one. A note
 * is written before the image is made and removed after it, so that a crash in between is seen.
 */
export function newNote(place: Place, reference: string): SavedNote {
  const note: SavedNote = {
    version: 1,
    id: randomBytes(8).toString("hex"),
    reference,
    engine: place.facts.id,
    imageId: null,
    creatorPid: process.pid,
    createdAt: new Date().toISOString(),
  };
  writeNote(place.state, note);
  return note;
}

export function writeNote(state: State, note: SavedNote): void {
  writeAtomically(pathOf(state, note), `${JSON.stringify(savedNote.parse(note))}\n`);
}

export function dropNote(state: State, note: SavedNote): void {
  rmSync(pathOf(state, note), { force: true });
}

/** Those of this engine. One that cannot be read is left alone: its image is then nobody's to remove. */
export function notes({ state, facts }: Pick<Place, "state" | "facts">): SavedNote[] {
  return readdirSync(folderOf(state)).flatMap((file) => {
    const parsed = file.endsWith(".json") ? savedNote.safeParse(readJson(join(folderOf(state), file))) : null;
    return parsed?.success && parsed.data.engine === facts.id ? [parsed.data] : [];
  });
}

function pathOf(state: State, { id }: SavedNote): string {
  return join(folderOf(state), `${id}.json`);
}

function folderOf(state: State): string {
  const folder = join(state.folder, "saved");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
