import { type DiffComment, readPatch } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import { LoopRepository } from "../git/repository.ts";
import type { Place } from "../place.ts";
import { findRepository } from "../state/repositories.ts";
import type { TaskRow } from "../state/tasks.ts";
import { existingLoop } from "./existing.ts";
import { taskNotNow } from "./refusal.ts";

type WorkPlace = Pick<Place, "database" | "folder" | "env">;

/** So many comments that fit nowhere are named; the rest is counted. */
const toldMisplaced = 5;

/** The commit that a person sees in the task's diff; null: there is none. */
export function workOf({ rework, candidateOid }: Pick<TaskRow, "rework" | "candidateOid">): string | null {
  return rework ? rework.from : candidateOid;
}

/** Refuses comments on lines that the task's diff does not show, all of them at once. */
export async function checkComments(
  place: WorkPlace,
  task: TaskRow,
  comments: readonly DiffComment[],
  signal?: AbortSignal,
): Promise<void> {
  if (comments.length === 0) return;
  const work = workOf(task);
  if (work === null || task.baseOid === null)
    throw taskNotNow(task, "commented on", "It has no diff yet: say it in a message.");
  const repository = await repositoryOf(place, task, signal);
  const paths = [...new Set(comments.map(({ path }) => path))];
  const files = readPatch((await repository.diff(task.baseOid, work, { paths })).text);
  const isShown = ({ path, line }: DiffComment) =>
    files.some((file) => file.path === path && file.lines.some(({ newNumber }) => newNumber === line));
  const misplaced = comments.filter((comment) => !isShown(comment));
  if (misplaced.length === 0) return;
  const named = misplaced.slice(0, toldMisplaced).map(({ path, line }) => `${path}:${line}`);
  const rest = misplaced.length - named.length;
  throw new OrchestratorError(
    "usage",
    `nothing was sent back: the diff of task ${task.number} does not show ${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`,
    {
      remedy:
        "comment on lines that the diff shows, by their numbers in the new file; say the rest in the message",
    },
  );
}

/** The files that the task's work changed. */
export async function changedPaths(place: WorkPlace, task: TaskRow, signal?: AbortSignal): Promise<string[]> {
  const work = workOf(task);
  if (work === null || task.baseOid === null) return [];
  const changes = await (await repositoryOf(place, task, signal)).changes(task.baseOid, work);
  return changes.filter(({ status }) => status !== "deleted").map(({ path }) => path);
}

async function repositoryOf(
  place: WorkPlace,
  { loop }: TaskRow,
  signal?: AbortSignal,
): Promise<LoopRepository> {
  const { repository } = await existingLoop(place.database, loop);
  const known = await findRepository(place.database, repository);
  if (known) return LoopRepository.open(place, known, signal);
  throw new OrchestratorError("internal", `the repository of loop ${loop} is not known`);
}
