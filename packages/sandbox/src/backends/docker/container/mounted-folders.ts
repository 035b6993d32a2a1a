import type Docker from "dockerode";
import { checkWorkspace, refused } from "../../../workspace/rules.ts";
import type { Place } from "../place.ts";
import { forbiddenPaths } from "../plan/forbidden.ts";

/**
 * Judges the folders of a stopped sandbox once more before the engine mounts them again: while it was stopped, or
 * from within another sandbox, a link may have been put in the place of one, and the engine would follow it.
 */
export function recheckMounts(place: Omit<Place, "facts">, container: Docker.ContainerInspectInfo): void {
  for (const { Source, Target, ReadOnly } of container.HostConfig.Mounts ?? []) {
    // Workspaces and repositories stand at their own path; nothing else does.
    if (Source !== Target) continue;
    const { path } = checkWorkspace({ path: Source, readOnly: ReadOnly ?? false }, forbiddenPaths(place));
    if (path !== Source) {
      throw refused(
        Source,
        `leads to ${path} now, which is not what this sandbox was made with`,
        "put the folder back",
      );
    }
  }
}
