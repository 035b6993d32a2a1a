import { randomBytes } from "node:crypto";
import { SandboxError } from "../errors.ts";
import type { ArchiveEntry } from "./archive-entries.ts";
import type { ArchiveBudget } from "./archive-limits.ts";
import { refused } from "./entry-name.ts";
import { extractEntries } from "./extract.ts";
import type { Folder } from "./folder.ts";
import { findLanding, land } from "./landing.ts";
import type { SourcePath } from "./source-path.ts";

/** The name that what is being extracted has in its staging folder. */
const extracted = "entry";

/**
 * Extracts into a folder beside the destination, and moves it there when all of it has come. On any error the
 * destination is as it was before.
 */
export async function unpackTo(
  to: string,
  source: SourcePath,
  entries: AsyncGenerator<ArchiveEntry, void>,
  budget: ArchiveBudget,
): Promise<void> {
  const first = await entries.next();
  if (first.done) throw refused(source.path, "came out as an empty archive");
  const isTree = first.value.path.length === 0 && first.value.body.kind === "directory";
  const landing = findLanding(source, isTree ? "tree" : "file", to);
  const stagingName = `.opentiger-copy-${randomBytes(6).toString("hex")}`;
  try {
    landing.folder.makeFolder(stagingName, 0o700);
    const staging = landing.folder.child(stagingName);
    try {
      if (isTree) await extractTree(staging, first.value, entries, budget);
      else await extractEntries(single(first.value, entries), staging, budget);
      land(staging, extracted, landing);
    } finally {
      staging.close();
    }
  } catch (error) {
    throw understood(error, landing.folder);
  } finally {
    landing.folder.remove(stagingName);
    landing.folder.close();
  }
}

async function extractTree(
  staging: Folder,
  root: ArchiveEntry,
  entries: AsyncGenerator<ArchiveEntry, void>,
  budget: ArchiveBudget,
): Promise<void> {
  staging.makeFolder(extracted, root.mode | 0o700);
  const folder = staging.child(extracted);
  try {
    await extractEntries(entries, folder, budget);
  } finally {
    folder.close();
  }
  staging.setTime(extracted, root.modified);
}

/** One entry, under our name for it, and then the end. */
async function* single(
  first: ArchiveEntry,
  entries: AsyncGenerator<ArchiveEntry, void>,
): AsyncGenerator<ArchiveEntry, void> {
  if (first.path.length !== 1) throw refused(first.path.join("/"), "is not what was asked for");
  yield { ...first, path: [extracted] };
  for await (const more of entries) throw refused(more.path.join("/"), "was not asked for");
}

function understood(error: unknown, folder: Folder): unknown {
  if (error instanceof SandboxError || !(error instanceof Error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case undefined:
      return error;
    case "ENOSPC":
    case "EDQUOT":
      return new SandboxError("disk_full", `the disk of ${folder.path} is full`, {
        remedy: "make room and copy again; nothing was left behind",
        cause: error,
      });
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new SandboxError("copy_refused", `${folder.path} cannot be written`, {
        remedy: "choose a folder that you can write",
        cause: error,
      });
    default:
      // A folder that became a link, or went away: someone else is at work there.
      return new SandboxError("copy_refused", `${folder.path} changed while it was written (${code})`, {
        remedy: "copy to a folder that nothing else writes to, or try again",
        cause: error,
      });
  }
}
