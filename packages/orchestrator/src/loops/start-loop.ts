import { realpath, stat } from "node:fs/promises";
import { basename } from "node:path";
import { type LoopSettings, type LoopSource, longestRequirement, plannedTask } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import type { Place } from "../place.ts";
import { checkPlan } from "../planning/check-plan.ts";
import { givenPlan } from "../planning/given-plan.ts";
import { createLoop, type LoopRow, newLoopId } from "../state/loops.ts";
import { ensureRepository } from "../state/repositories.ts";

/** What loops are kept with: no engine, no agent. */
export type LoopPlace = Pick<Place, "database" | "config">;

export interface LoopRequest {
  /** The user's repository: the top of a checkout, or a bare one. Its name is the last part of its path by default. */
  repository: { path: string; name?: string };
  requirement: string;
  source: LoopSource;
  settings: LoopSettings;
}

/**
 * A new loop, to be planned by whoever claims that; also one whose tasks stood in a file is looked at there before
 * anything runs. What cannot be carried out is refused at once.
 */
export async function startLoop({ database, config }: LoopPlace, asked: LoopRequest): Promise<LoopRow> {
  const { requirement, source, settings } = asked;
  config.check();
  if (requirement.trim() === "") throw withoutRequirement();
  if (requirement.length > longestRequirement) throw tooLong(requirement);
  if (source.kind === "single") refuseTooLongForOne(requirement);
  const plan = givenPlan(source, requirement);
  if (plan) checkPlan(plan, { tasks: config.get("OPENTIGER_MAX_TASKS") });
  const path = await folderAt(asked.repository.path);
  const name = asked.repository.name ?? basename(path);
  const repository = await ensureRepository(database, { path, name });
  const id = newLoopId();
  const branch = `tiger/${id}`;
  return createLoop(database, { repository: repository.id, requirement, source, settings, branch }, id);
}

function withoutRequirement(): OrchestratorError {
  return new OrchestratorError("usage", "there is no requirement: nothing says what is to be done", {
    remedy: 'say it, as in `opentiger run "add a --json flag to the list command"`',
  });
}

function tooLong({ length }: string): OrchestratorError {
  return new OrchestratorError(
    "usage",
    `the requirement has ${length} characters, and may have ${longestRequirement}`,
    { remedy: "put the long part into a file of the repository, commit it, and name the file" },
  );
}

/** What is read by one agent alone has an end. */
function refuseTooLongForOne(requirement: string): void {
  const [issue] = plannedTask.shape.instructions.safeParse(requirement.trim()).error?.issues ?? [];
  if (!issue) return;
  throw new OrchestratorError("plan_invalid", `the requirement is one task: ${issue.message}`, {
    remedy: "leave out --single, so that it is planned; or put the long part into a file of the repository",
  });
}

/** By its real path, so that a repository is known as one, however it is reached. */
async function folderAt(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined && (await stat(real)).isDirectory()) return real;
  throw new OrchestratorError("not_found", `there is no folder ${path}`, {
    remedy: "name the folder of a git repository with --repo",
  });
}
