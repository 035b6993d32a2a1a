import type { Project, ProjectFile } from "@opentiger/schema";
import { Remembered } from "../git/remembered.ts";
import type { LoopRepository } from "../git/repository.ts";
import { readProject } from "./read-project.ts";

/** As many as loops are under way at once in one process, and more. */
const projects = new Remembered<Project>(64);

/** As `readProject`, which every stage of every task asks for the same commit. */
export function knownProject(
  repository: LoopRepository,
  baseOid: string,
  flags: Partial<ProjectFile>,
): Promise<Project> {
  const question = JSON.stringify([repository.path, baseOid, flags]);
  return projects.answer(question, () => readProject(repository, baseOid, flags));
}
