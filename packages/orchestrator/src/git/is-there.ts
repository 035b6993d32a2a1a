import { lstat } from "node:fs/promises";
import { errno } from "@opentiger/schema";

export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errno(error) === "ENOENT") return false;
    throw error;
  }
}
