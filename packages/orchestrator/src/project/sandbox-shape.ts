import type { CreateOptions } from "@opentiger/sandbox";
import type { Project } from "@opentiger/schema";
import type { LoopRepository } from "../git/repository.ts";
import type { Place } from "../place.ts";
import type { LoopRow } from "../state/loops.ts";
import { baseImageName } from "./base-image.ts";
import { sandboxLimits } from "./limits.ts";
import { phaseNetwork } from "./network.ts";
import type { Prepared } from "./prepare-request.ts";

export interface ShapeRequest {
  loop: Pick<LoopRow, "id" | "settings">;
  repository: Pick<LoopRepository, "path" | "userPath">;
  project: Project;
  /** What `ensurePrepared` gave. */
  prepared: Pick<Prepared, "image" | "key" | "setup">;
  phase: "run" | "verify";
}

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
