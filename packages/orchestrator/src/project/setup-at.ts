import type { Project } from "@opentiger/schema";
import { Remembered } from "../git/remembered.ts";
import type { LoopRepository } from "../git/repository.ts";
import { detectProject } from "./detect/detect-project.ts";

/** As many as loops are under way at once, with some of their commits. */
const found = new Remembered<string[]>(256);

/**
 * What sets the project up at a commit: as it was settled where the loop began, unless nothing was to be done there and
 * nobody had said so. Then it is asked what is detected at the commit: a task may have brought the first dependency. Of
 * that only commands come which are ours, never any that the commit writes down.
 */
export async function setupAt(
  repository: Pick<LoopRepository, "path" | "readFile" | "listFiles">,
  { setup, sources }: Pick<Project, "setup" | "sources">,
  commit: string,
): Promise<string[]> {
  if (setup.length > 0 || sources["setup"] !== "detected") return setup;
  return found.answer(JSON.stringify([repository.path, commit]), async () => {
    const files = (await repository.listFiles(commit)).filter(({ mode }) => mode.startsWith("100"));
    const names = files.map(({ path }) => path);
    return (await detectProject((path) => repository.readFile(commit, path), names)).setup;
  });
}
