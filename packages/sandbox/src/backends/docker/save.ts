import { SandboxError } from "../../errors.ts";
import { imageReference } from "../../image/name.ts";
import { statusOf } from "./engine/errors.ts";
import { commitFiles } from "./image/commit.ts";
import { collectSaved, undoSave } from "./image/saved.ts";
import { newNote, writeNote } from "./image/saved-notes.ts";
import { elsewhere } from "./inspect.ts";
import { labels } from "./labels.ts";
import { findSandbox, notFound } from "./open.ts";
import type { Place } from "./place.ts";

export interface SaveOptions {
  /** Only the sandbox with this id; another one that has its name by now is left alone. */
  id?: string;
}

/**
 * Keeps a sandbox's files as an image, a clone among them. What the engine would copy of ours (labels, environment,
 * command, user) is put back to what the image had, so that a container made of it by hand is not taken for a sandbox.
 * What lies in mounts, sockets, spools and memory is no part of it, and neither is the environment of commands, so
 * no secret that the sandbox was given gets in.
 */
export async function saveSandbox(
  place: Place,
  name: string,
  tag: string,
  { id }: SaveOptions = {},
): Promise<{ imageId: string }> {
  const reference = imageReference(tag, place.warn);
  if (reference.includes("@")) {
    throw new SandboxError(
      "image_name_invalid",
      `${JSON.stringify(tag)} has a digest, which an image gets by itself`,
      {
        remedy: "give a name and a tag, as in my-template:v1",
      },
    );
  }
  const record = findSandbox(place, name);
  if (id !== undefined && record.id !== id) throw notFound(name);
  if (record.engine !== place.facts.id) throw elsewhere(place, record);
  const container = place.docker.getContainer(record.containerId);
  const found = await container.inspect().catch((error: unknown) => {
    throw statusOf(error) === 404 ? notFound(name) : error;
  });
  const [repo, tagName] = split(reference);
  const note = newNote(place, `${repo}:${tagName}`);
  const imageId = await commitFiles(
    place.docker,
    found,
    { comment: `openTiger sandbox ${name}`, repo, tag: tagName },
    { [labels.saved]: note.id, [labels.clone]: record.repository?.path ?? "" },
  ).catch(async (error: unknown) => {
    await undoSave(place, note).catch(() => {}); // What is left of it, prune finds.
    throw error;
  });
  writeNote(place.state, { ...note, imageId });
  // An earlier one of this name has none now.
  await collectSaved(place);
  return { imageId };
}

function split(reference: string): [string, string] {
  const [, repo = reference, tag = "latest"] = /^(.*):([^:/]+)$/.exec(reference) ?? [];
  return [repo, tag];
}
