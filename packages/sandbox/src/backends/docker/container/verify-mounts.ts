import { closeSync, constants, openSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import type { FolderMount } from "@opentiger/schema";
import type Docker from "dockerode";
import { type Mount, parseMountinfo } from "../../../protocol/mountinfo.ts";
import type { Session } from "../../../session/session.ts";
import { refused } from "../../../workspace/rules.ts";
import type { Place } from "../place.ts";
import { outsideMounts } from "./outside-mounts.ts";

/** O_PATH, for which Node has no name: the folder need not be readable by us. */
const pathOnly = 0o10000000;

/**
 * The engine follows links when it mounts, which is after we judged the path: an agent of another sandbox that can
 * write a folder above could put a link there in between. So what was mounted is compared with what was meant, as
 * the kernel says it, before any command runs. Only for an engine on this very kernel.
 */
export async function verifyMounts(session: Session, folders: readonly FolderMount[]): Promise<void> {
  if (folders.length > 0) compare(await session.mounts(), folders);
}

/** The same where no supervisor can tell: the kernel is asked outside. */
export async function verifyMountsOutside(
  { engine, warn }: Pick<Place, "engine" | "warn">,
  container: Docker.Container,
  folders: readonly FolderMount[],
): Promise<void> {
  if (folders.length === 0 || (await engine.facts()).location !== "local") return;
  const mounts = outsideMounts(await container.inspect());
  if (mounts) compare(mounts, folders);
  else
    warn(
      `could not compare what was mounted at ${folders.map(({ target }) => target).join(", ")}: its processes cannot be seen from here`,
    );
}

function compare(mounts: readonly Mount[], folders: readonly FolderMount[]): void {
  for (const { source, target } of folders) {
    const mounted = mounts.findLast((mount) => mount.target === target);
    const meant = locate(source);
    if (mounted && meant && mounted.device === meant.device && mounted.root === meant.root) continue;
    throw refused(
      source,
      "became something else while it was being mounted",
      "see who else writes there, and try again",
    );
  }
}

/** Where a folder of this machine lies: the file system, and the path in it. Undefined when the path is not real. */
function locate(folder: string): Pick<Mount, "device" | "root"> | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(folder, pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    if (readlinkSync(`/proc/self/fd/${handle}`) !== folder) return undefined;
    const id = Number(/^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${handle}`, "utf8"))?.[1]);
    const mount = parseMountinfo(readFileSync("/proc/self/mountinfo", "utf8")).find((each) => each.id === id);
    return mount && { device: mount.device, root: join(mount.root, relative(mount.target, folder)) };
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
