import type Docker from "dockerode";
import { statusOf } from "../backends/docker/engine/errors.ts";

/** Labels of images that we build. None is a sandbox's: containers inherit an image's labels. */
export const imageLabels = {
  /** The hash of everything that went into the image: the same hash, nothing to build. */
  recipe: "opentiger.image.recipe",
  /** The agents whose CLIs are in it, separated by commas. */
  agents: "opentiger.image.agents",
} as const;

export interface LabelledImage {
  readonly id: string;
  readonly bytes: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** undefined when the engine has no such image; other failures of the engine are thrown as they are. */
export async function findImage(docker: Docker, name: string): Promise<LabelledImage | undefined> {
  try {
    const image = await docker.getImage(name).inspect();
    return { id: image.Id, bytes: image.Size, labels: image.Config.Labels ?? {} };
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
