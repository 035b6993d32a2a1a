import { closeSync, fstatSync, type Stats } from "node:fs";
import { SandboxError } from "../errors.ts";
import type { ArchiveEntry } from "./archive-entries.ts";
import { readContent, readSmall, smallFile } from "./file-content.ts";
import type { Folder } from "./folder.ts";

/**
 * A file or a tree of the host as archive entries, links being links: nothing outside of it is read, even if
 * someone swaps a folder for a link meanwhile. What is neither file, folder nor link is left out and reported.
 * The content of an entry is read before the next one is asked for.
 */
export function* hostEntries(
  parent: Folder,
  name: string,
  options: { as: string[]; leftOut: (path: string) => void },
): Generator<ArchiveEntry, void> {
  const info = parent.info(name);
  if (!info) throw vanished(parent, name);
  const common = { path: options.as, mode: info.mode & 0o777, modified: info.mtime };
  if (info.isSymbolicLink()) {
    yield { ...common, body: { kind: "symlink", target: parent.readLink(name) } };
    return;
  }
  if (info.isFile()) return yield* fileEntry(parent, name, common);
  if (!info.isDirectory()) return options.leftOut(`${parent.path}/${name}`);
  if (options.as.length > 0) yield { ...common, body: { kind: "directory" } };
  yield* folderEntries(parent.child(name), options);
}

function* folderEntries(
  folder: Folder,
  options: { as: string[]; leftOut: (path: string) => void },
): Generator<ArchiveEntry, void> {
  try {
    for (const name of folder.names().sort()) {
      // What remains of bytes that are not UTF-8.
      if (name.includes("\uFFFD")) throw unreadable(folder, name);
      yield* hostEntries(folder, name, { ...options, as: [...options.as, name] });
    }
  } finally {
    folder.close();
  }
}

function* fileEntry(
  parent: Folder,
  name: string,
  common: Omit<ArchiveEntry, "body">,
): Generator<ArchiveEntry, void> {
  const fd = parent.openFile(name);
  try {
    const info: Stats = fstatSync(fd);
    if (!info.isFile()) throw vanished(parent, name);
    const { size } = info;
    const content = size <= smallFile ? readSmall(fd, size) : readContent(fd, size);
    yield { ...common, body: { kind: "file", size, content } };
  } finally {
    closeSync(fd);
  }
}

function vanished(parent: Folder, name: string): SandboxError {
  return new SandboxError(
    "not_found",
    `${parent.path}/${name} does not exist, or was replaced while it was read`,
    {
      remedy: "check the path",
    },
  );
}

function unreadable(folder: Folder, name: string): SandboxError {
  return new SandboxError("copy_refused", `${folder.path}/${name} has a name that is not valid UTF-8`, {
    remedy: "rename it, or pack it with `tar` and copy the archive",
  });
}
