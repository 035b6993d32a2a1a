import type { CreateOptions } from "@opentiger/sandbox";
import type { Place } from "../place.ts";
import { baseImageName } from "./base-image.ts";
import { sandboxLimits } from "./limits.ts";
import { phaseNetwork } from "./network.ts";
import type { SandboxRequest } from "./sandbox.ts";

export type ShapeRequest = Pick<SandboxRequest, "loop" | "repository" | "project" | "prepared" | "phase">;

export interface SandboxShape
  extends Required<Pick<CreateOptions, "workspaces" | "repository" | "limits" | "network">> {
  image: string;
}

/**
 * What the sandboxes of a loop have in common, whatever they are called and whoever works there. One that was made
 * ahead of need in this shape can become any of them.
 */
export function sandboxShape(
  place: Pick<Place, "config" | "log">,
  { loop, repository, project, prepared, phase }: ShapeRequest,
): SandboxShape {
  return {
    image: prepared.image ?? baseImageName(place, project),
    workspaces: [{ path: repository.userPath, readOnly: false }],
    repository: repository.path,
    limits: sandboxLimits(project),
    network: phaseNetwork(place, loop, project, phase),
  };
}
