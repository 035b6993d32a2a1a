import type { ArchiveEntry, EntryBody } from "./archive-entries.ts";
import { leadsOutside, refused } from "./entry-name.ts";

/** What happens with a link that leads out of what is copied: the copy is refused, or goes on without it. */
export type OutsideLinks = { action: "refuse" } | { action: "skip"; skipped: string[] };

/**
 * Passes entries on that fit to those before them: no name comes twice, none goes through a link or a file, no
 * link leads out of the archive, and a hard link is one to a file of the archive. So whoever unpacks them, also
 * a program of the user's that follows links, stays inside.
 */
export async function* consistentEntries(
  entries: AsyncIterable<ArchiveEntry>,
  outsideLinks: OutsideLinks,
): AsyncGenerator<ArchiveEntry, void> {
  const seen = new Map<string, EntryBody["kind"]>();
  for await (const entry of entries) {
    const name = entry.path.join("/");
    checkPlace(seen, entry, name);
    if (entry.body.kind === "copy" && !isFile(seen.get(entry.body.of.join("/")))) {
      throw refused(name, "is a hard link to something that is not a file of the copy");
    }
    const outside = entry.body.kind === "symlink" ? leadsOutside(entry.path, entry.body.target) : undefined;
    if (outside && outsideLinks.action === "refuse") throw refused(name, outside);
    seen.set(name, entry.body.kind);
    if (outside && outsideLinks.action === "skip") outsideLinks.skipped.push(name);
    else yield entry;
  }
}

function checkPlace(seen: Map<string, EntryBody["kind"]>, entry: ArchiveEntry, name: string): void {
  const earlier = seen.get(name);
  if (earlier && !(earlier === "directory" && entry.body.kind === "directory"))
    throw refused(name, "comes twice");
  for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) {
    const parent = name.slice(0, end);
    const kind = seen.get(parent);
    if (kind && kind !== "directory") throw refused(name, "goes through a link or a file");
    // Folders that no entry announced are folders from here on.
    if (!kind) seen.set(parent, "directory");
  }
}

function isFile(kind: EntryBody["kind"] | undefined): boolean {
  return kind === "file" || kind === "copy";
}
