import type { OpenPlace } from "@opentiger/orchestrator";
import { DockerBackend } from "@opentiger/sandbox";

/** Those that this instance has made, oldest first. */
export async function preparedImages({ database }: OpenPlace): Promise<string[]> {
  const { rows } = await database.query("select reference from prepared_images order by created_at");
  // Our own table; the column is text.
  return (rows as { reference: string }[]).map(({ reference }) => reference);
}

/** Removes all sandboxes of this instance, and the prepared images that they were made of. */
export async function removePrepared(place: OpenPlace): Promise<void> {
  const references = await preparedImages(place);
  if (references.length === 0) return;
  const docker = await place.backend("sandbox");
  await docker.reset();
  if (docker instanceof DockerBackend)
    for (const reference of references) await docker.images.remove(reference);
}
