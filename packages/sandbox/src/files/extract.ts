import { closeSync, fstatSync } from "node:fs";
import { SandboxError } from "../errors.ts";
import type { ArchiveEntry, Chunks, EntryBody } from "./archive-entries.ts";
import type { ArchiveBudget } from "./archive-limits.ts";
import { refused } from "./entry-name.ts";
import { readContent, writeContent } from "./file-content.ts";
import type { Folder } from "./folder.ts";
import { OpenTree } from "./open-tree.ts";

/**
 * Writes entries below an empty folder of ours. Nothing that exists is opened for writing, and no link is
 * followed, neither one of the archive nor one that someone puts there meanwhile. A name that comes twice, also
 * in another case where the file system makes no difference, is refused.
 */
export async function extractEntries(
  entries: AsyncIterable<ArchiveEntry>,
  root: Folder,
  budget: ArchiveBudget,
): Promise<void> {
  const tree = new OpenTree(root);
  const folders: ArchiveEntry[] = [];
  try {
    for await (const entry of entries) {
      if (entry.body.kind === "directory") folders.push(entry);
      await writeEntry(tree, entry, budget);
    }
    // Last, and the innermost first: writing into a folder changes its time.
    for (const { path, modified } of folders.reverse()) tree.setTime(path, modified);
  } finally {
    tree.close();
  }
}

async function writeEntry(tree: OpenTree, entry: ArchiveEntry, budget: ArchiveBudget): Promise<void> {
  try {
    await writeBody(tree, entry, budget);
  } catch (error) {
    throw explained(error, entry);
  }
}

async function writeBody(tree: OpenTree, entry: ArchiveEntry, budget: ArchiveBudget): Promise<void> {
  const { body } = entry;
  switch (body.kind) {
    case "directory":
      tree.folder(entry.path, entry.mode);
      return;
    case "symlink":
      return writeLink(tree, entry, body.target);
    case "file":
      return writeFile(tree, entry, body.content, body.size);
    case "copy":
      return writeCopy(tree, entry, body, budget);
  }
}

function writeLink(tree: OpenTree, entry: ArchiveEntry, target: string): void {
  const { folder, name } = place(tree, entry.path);
  folder.makeLink(name, target);
  folder.setTime(name, entry.modified);
}

async function writeFile(tree: OpenTree, entry: ArchiveEntry, content: Chunks, size: number): Promise<void> {
  const { folder, name } = place(tree, entry.path);
  const fd = folder.createFile(name, entry.mode);
  try {
    if ((await writeContent(fd, content)) !== size) throw refused(entry.path.join("/"), "is cut");
  } finally {
    closeSync(fd);
  }
  folder.setTime(name, entry.modified);
}

/** A hard link becomes a file of its own: two names of one file would let a change of one reach the other. */
async function writeCopy(
  tree: OpenTree,
  entry: ArchiveEntry,
  body: EntryBody & { kind: "copy" },
  budget: ArchiveBudget,
): Promise<void> {
  const source = place(tree, body.of);
  const fd = source.folder.openFile(source.name);
  try {
    const info = fstatSync(fd);
    if (!info.isFile()) throw refused(entry.path.join("/"), "is a hard link to something that is not a file");
    budget.spend(info.size);
    await writeFile(tree, entry, readContent(fd, info.size), info.size);
  } finally {
    closeSync(fd);
  }
}

function place(tree: OpenTree, path: readonly string[]): { folder: Folder; name: string } {
  const name = path.at(-1);
  if (name === undefined) throw refused(".", "is not a folder");
  return { folder: tree.folder(path.slice(0, -1)), name };
}

function explained(error: unknown, entry: ArchiveEntry): unknown {
  if (error instanceof SandboxError || !(error instanceof Error)) return error;
  const name = entry.path.join("/");
  switch ((error as NodeJS.ErrnoException).code) {
    case "EEXIST":
      return refused(name, "comes twice, or differs from another one in its case only");
    case "ELOOP":
    case "ENOTDIR":
      return refused(name, "goes through a link");
    default:
      return error;
  }
}
