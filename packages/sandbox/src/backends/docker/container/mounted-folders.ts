import type { FolderMount, SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import { checkWorkspace, refused } from "../../../workspace/rules.ts";
import type { Place } from "../place.ts";
import { forbiddenPaths } from "../plan/forbidden.ts";
import { checkMounts } from "../plan/mounts.ts";

type Recorded = Pick<SandboxRecord, "mounts">;

/**
 * Judges the folders of a stopped sandbox once more before the engine mounts them again: while it was stopped, or
 * from within another sandbox, a link may have been put in the place of one, and the engine would follow it.
 */
export function recheckMounts(
  place: Omit<Place, "facts">,
  container: Docker.ContainerInspectInfo,
  { mounts = [] }: Recorded,
): void {
  const forbidden = forbiddenPaths(place);
  for (const { Source, ReadOnly } of ownMounts(container)) {
    refuseMoved(Source, checkWorkspace({ path: Source, readOnly: ReadOnly ?? false }, forbidden).path);
  }
  for (const mount of mounts) {
    for (const { source } of checkMounts([mount], "direct", forbidden)) refuseMoved(mount.source, source);
  }
}

/** The folders of the host in a sandbox: those at their own path, and those that its record names. */
export function mountedFolders(
  container: Docker.ContainerInspectInfo,
  { mounts = [] }: Recorded,
): FolderMount[] {
  return [...ownMounts(container).map(({ Source }) => ({ source: Source, target: Source })), ...mounts];
}

function ownMounts(container: Docker.ContainerInspectInfo): Docker.MountSettings[] {
  return (container.HostConfig.Mounts ?? []).filter(({ Source, Target }) => Source === Target);
}

function refuseMoved(before: string, now: string): void {
  if (before === now) return;
  throw refused(
    before,
    `leads to ${now} now, which is not what this sandbox was made with`,
    "put the folder back",
  );
}
