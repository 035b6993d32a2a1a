import { open } from "node:fs/promises";
import { errno } from "@opentiger/schema";

const maxBytes = 64 * 1024;

/** The last whole lines of a file; empty where there is none. */
export async function tailOf(path: string): Promise<string> {
  const file = await open(path, "r").catch((error: unknown) => {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  });
  if (!file) return "";
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - maxBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const text = buffer.subarray(0, bytesRead).toString("utf8");
    return from === 0 ? text : text.slice(text.indexOf("\n") + 1);
  } finally {
    await file.close();
  }
}
