import { readdirSync } from "node:fs";
import { join } from "node:path";

/** A word that stands in all that a trap would have the model read. */
export const trapWord = "TRAPPED";

const folder = "marks";

/** A repository's file by which the folder for marks is there. */
export const marksFile = { [`${folder}/.keep`]: "" };

/** Where something that took effect leaves its mark. */
export function mark(cwd: string, name: string): string {
  return join(cwd, folder, name);
}

/** What took effect. */
export function marksIn(cwd: string): string[] {
  return readdirSync(join(cwd, folder))
    .filter((name) => name !== ".keep")
    .toSorted();
}
