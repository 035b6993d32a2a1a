import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { readStories } from "@opentiger/orchestrator";
import type { Plan } from "@opentiger/schema";
import { UsageError } from "../errors.ts";

/** What somebody wrote, in a file or on stdin. */
export async function readGiven(file: string, cwd: string): Promise<string> {
  if (file === "-") return text(process.stdin);
  try {
    return readFileSync(resolve(cwd, file), "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${file} cannot be read: ${why}`, "Name a file that you can read, or - for stdin.");
  }
}

export async function readPlan(file: string, cwd: string): Promise<Plan> {
  return readStories(await readGiven(file, cwd), file === "-" ? null : file);
}
