import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** What each file below a folder holds, by its path; git's own are left out. */
export function filesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((path) => !path.startsWith(".git/"));
  return Object.fromEntries(files.toSorted().map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}
