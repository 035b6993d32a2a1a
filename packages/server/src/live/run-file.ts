import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { type Place, runFolder } from "@opentiger/orchestrator";
import { errno } from "@opentiger/schema";

const chunkBytes = 64 * 1024;

/**
 * The bytes of a file of this run, from this one on. undefined: it is not there any more, or is no plain file in the run's own folder,
 * whatever the table says.
 */
export async function openRunFile(
  place: Pick<Place, "folder">,
  run: string,
  path: string,
  from = 0,
): Promise<AsyncGenerator<Uint8Array> | undefined> {
  const handle = await openWithin(runFolder(place, { id: run }), path);
  return handle && chunksOf(handle, from);
}

async function openWithin(folder: string, path: string): Promise<FileHandle | undefined> {
  try {
    const [allowed, actual] = await Promise.all([realpath(folder), realpath(dirname(path))]);
    if (actual !== allowed && !actual.startsWith(`${allowed}/`)) return undefined;
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    return undefined;
  } catch (error) {
    if (["ENOENT", "ELOOP", "ENOTDIR", "ENXIO"].includes(errno(error) ?? "")) return undefined;
    throw error;
  }
}

async function* chunksOf(handle: FileHandle, from: number): AsyncGenerator<Uint8Array> {
  let position = from;
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(chunkBytes), 0, chunkBytes, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
