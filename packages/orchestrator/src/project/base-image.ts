import { connectEngine, defaultHome, imageReference } from "@opentiger/sandbox";
import type { Project } from "@opentiger/schema";
import type { Place } from "../place.ts";

/** What sandboxes of a project start from before its set-up. */
export function baseImageName(
  { config, log }: Pick<Place, "config" | "log">,
  { image }: Pick<Project, "image">,
): string {
  return imageReference(image ?? config.get("SANDBOX_DOCKER_IMAGE"), log);
}

export interface BaseImage {
  reference: string;
  /** Of its content; its name where the engine does not have it yet. */
  id: string;
  isHere: boolean;
  bytes: number;
}

/** As the engine has it now. One that is not there is pulled, or refused, by whoever wants to start from it. */
export async function baseImage(
  place: Pick<Place, "config" | "log" | "env" | "backend">,
  project: Pick<Project, "image">,
): Promise<BaseImage> {
  const reference = baseImageName(place, project);
  const { docker } = connectEngine({ env: place.env, home: defaultHome(place.env) });
  try {
    const { Id, Size } = await docker.getImage(reference).inspect();
    return { reference, id: Id, isHere: true, bytes: Size };
  } catch (error) {
    const missing = error instanceof Error && "statusCode" in error && error.statusCode === 404;
    if (missing) return { reference, id: reference, isHere: false, bytes: 0 };
    // An engine that does not answer: what the backend says of that has a code and a remedy.
    await (await place.backend("sandbox")).list();
    throw error;
  }
}
