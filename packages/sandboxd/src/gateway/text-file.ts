import { readFileSync } from "node:fs";

/** undefined where there is no such file. Any other trouble is thrown: a file that cannot be read is not an empty one. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
