import { dirname } from "node:path";
import { Readable } from "node:stream";
import { type Pack, pack } from "tar-stream";
import type { RecipeFile } from "./recipe.ts";

/**
 * The build context as a tar. It looks to the engine's cache exactly like the one that `docker build .` sends, so
 * that builds by hand and ours share their layers: folders and files by root, fixed modes, no times.
 */
export function buildContext(files: readonly RecipeFile[]): Readable {
  const tar = pack();
  for (const folder of folders(files)) {
    tar.entry({ ...owner, name: `${folder}/`, type: "directory", mode: 0o755 });
  }
  for (const file of files) addFile(tar, file);
  tar.finalize();
  return Readable.from(tar);
}

const owner = { uid: 0, gid: 0, mtime: new Date(0) };

function folders(files: readonly RecipeFile[]): string[] {
  const found = new Set<string>();
  for (const file of files) {
    for (let folder = dirname(file.path); folder !== "."; folder = dirname(folder)) found.add(folder);
  }
  return [...found].sort();
}

function addFile(tar: Pack, file: RecipeFile): void {
  tar.entry({ ...owner, name: file.path, mode: file.mode, size: file.content.length }, file.content);
}
