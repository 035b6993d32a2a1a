import { readFileSync } from "node:fs";
import { errno } from "@opentiger/schema";

/** undefined where there is no such file. Any other trouble is thrown: a file that cannot be read is not an empty one. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
}
