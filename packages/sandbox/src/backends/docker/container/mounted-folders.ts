import type Docker from "dockerode";
import { checkWorkspace, refused } from "../../../workspace/rules.ts";
import type { Place } from "../place.ts";
import { forbiddenPaths } from "../plan/forbidden.ts";

/**
 * Judges the folders of a stopped sandbox once more before the engine mounts them again: while it was stopped, or
 * from within another sandbox, a link may have been put in the place of one, and the engine would follow it.
 */
export function recheckMounts(place: Omit<Place, "facts">, container: Docker.ContainerInspectInfo): void {
  for (const { Source, ReadOnly } of ownMounts(container)) {
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

/** The folders of the host in a sandbox. They stand at their own path, and nothing else does. */
export function mountedFolders(container: Docker.ContainerInspectInfo): string[] {
  return ownMounts(container).map(({ Source }) => Source);
}

function ownMounts(container: Docker.ContainerInspectInfo): Docker.MountSettings[] {
  return (container.HostConfig.Mounts ?? []).filter(({ Source, Target }) => Source === Target);
}
