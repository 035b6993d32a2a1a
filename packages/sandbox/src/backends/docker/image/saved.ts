import { rmSync } from "node:fs";
import { join } from "node:path";
import type Docker from "dockerode";
import { imageReference } from "../../../image/name.ts";
import { creatorLives } from "../../../state/creator.ts";
import { statusOf } from "../engine/errors.ts";
import { labels } from "../labels.ts";
import type { Place } from "../place.ts";
import { coolPool } from "../pool/warm.ts";
import { dropNote, notes, type SavedNote } from "./saved-notes.ts";

/** An image that `save` made. */
export interface SavedImage {
  reference: string;
  imageId: string;
  /** What it takes on the engine's disk, with what it shares with others. */
  bytes: number;
}

/** The images that this instance saved; all others on the engine are none of its business. */
export interface SavedImages {
  find(reference: string): Promise<SavedImage | undefined>;
  /** Sandboxes of it that are parked go too. false: another one uses it, or there is none of this instance's. */
  remove(reference: string): Promise<boolean>;
}

export async function findSaved(place: Place, name: string): Promise<SavedImage | undefined> {
  const reference = imageReference(name, place.warn);
  const found = await look(place.docker, reference);
  const note = found && notes(place).find(({ imageId }) => imageId === found.Id);
  return note ? { reference, imageId: found.Id, bytes: found.Size } : undefined;
}

/** The image that has this name on the engine, whoever made it; undefined: none has. */
export async function namedImage({ docker }: Place, reference: string): Promise<string | undefined> {
  return (await look(docker, reference))?.Id;
}

export async function removeSaved(place: Place, name: string): Promise<boolean> {
  const saved = await findSaved(place, name);
  if (!saved || (await isInUse(place, saved.imageId))) return false;
  await coolPool(place, saved.reference);
  if (!(await removeImage(place.docker, saved.reference))) return false;
  // One that another image is made from loses its name only, and goes with that one.
  if (!(await look(place.docker, saved.imageId))) forget(place, saved.imageId);
  return true;
}

/**
 * Removes what saves left that were cut short, and what lost its name to a later save of the same one. What somebody
 * uses, or has given a name of their own, stays.
 */
export async function collectSaved(place: Place): Promise<void> {
  for (const note of notes(place)) {
    if (note.imageId === null && !creatorLives(note)) await undoSave(place, note);
    if (note.imageId !== null && (await isUnnamed(place, note.imageId)))
      await collectUnnamed(place, note.imageId);
  }
}

/** Removes what a save made that was not finished. */
export async function undoSave(place: Place, note: SavedNote): Promise<void> {
  const made = await place.docker.listImages({
    all: true,
    filters: { label: [`${labels.saved}=${note.id}`] },
  });
  const gone = await Promise.all(made.map(({ Id }) => removeUnfinished(place, note, Id)));
  if (gone.every(Boolean)) dropNote(place.state, note);
}

/** It has at most the name that the note foresaw; with any other it is somebody's. */
async function removeUnfinished(place: Place, { reference }: SavedNote, id: string): Promise<boolean> {
  const found = await look(place.docker, id);
  if (!found) return true;
  const others = found.RepoTags.filter((tag) => tag !== reference);
  return others.length > 0 || removeImage(place.docker, id);
}

async function isUnnamed(place: Place, imageId: string): Promise<boolean> {
  const found = await look(place.docker, imageId);
  return !found || found.RepoTags.length === 0;
}

async function collectUnnamed(place: Place, imageId: string): Promise<void> {
  if (await removeImage(place.docker, imageId)) forget(place, imageId);
}

/** The image is gone, and so is what was known of it. */
function forget(place: Place, imageId: string): void {
  for (const note of notes(place)) if (note.imageId === imageId) dropNote(place.state, note);
  rmSync(join(place.state.folder, "images", `${imageId.replace(/^sha256:/, "")}.json`), { force: true });
}

/** By a container that is not one of our parked sandboxes. */
async function isInUse(place: Place, imageId: string): Promise<boolean> {
  const users = await place.docker.listContainers({ all: true, filters: { ancestor: [imageId] } });
  const { records } = place.state.records.list();
  const parked = new Set(
    records.flatMap(({ state, containerId }) => (state === "parked" && containerId ? [containerId] : [])),
  );
  return users.some(({ Id, ImageID }) => ImageID === imageId && !parked.has(Id));
}

/** false: a container, or an image made from it, still needs it. One that is gone already is removed. */
async function removeImage(docker: Docker, reference: string): Promise<boolean> {
  try {
    await docker.getImage(reference).remove();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return true;
    if (statusOf(error) === 409) return false;
    throw error;
  }
}

async function look(docker: Docker, reference: string): Promise<Docker.ImageInspectInfo | undefined> {
  try {
    const found = await docker.getImage(reference).inspect();
    // The engine answers with null where there is no name.
    return { ...found, RepoTags: found.RepoTags ?? [] };
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
