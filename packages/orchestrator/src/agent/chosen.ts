import { type ExecutionEnvironment, executionEnvironments, type Role } from "@opentiger/schema";
import { z } from "zod";
import type { Place } from "../place.ts";
import { Journal } from "../stage/journal.ts";
import type { LoopRow } from "../state/loops.ts";
import type { RunRow } from "../state/runs.ts";
import type { TaskRow } from "../state/tasks.ts";
import { type AgentChoice, agentCalled, agentFor } from "./agent-choice.ts";
import { runFolder } from "./run-files.ts";

/** Where a run is worked on, and by whom. */
export interface Chosen {
  environment: ExecutionEnvironment;
  choice: AgentChoice;
}

/** As things stand now, for a run that begins. */
export function chosenNow(
  place: Pick<Place, "config">,
  loop: Pick<LoopRow, "settings">,
  role: Role,
  task?: Pick<TaskRow, "agent">,
): Chosen {
  return {
    environment: loop.settings.environment ?? place.config.get("EXECUTION_ENVIRONMENT"),
    choice: agentFor(place, loop, role, task),
  };
}

const kept = z.object({
  environment: z.enum(executionEnvironments),
  agent: z.string(),
  model: z.string().nullable(),
});

/** What this run was begun with: it stays so, whoever goes on with it and whatever is set by then. */
export async function chosenFor(
  place: Pick<Place, "config" | "folder">,
  run: RunRow,
  { environment: usual, choice }: Chosen,
): Promise<Chosen> {
  const journal = new Journal(runFolder(place, run));
  const { environment, ...called } = await journal.step("chosen", kept, async () => ({
    environment: usual,
    agent: run.agent,
    model: (run.agent === choice.name ? choice.model : undefined) ?? null,
  }));
  return { environment, choice: agentCalled(place, called) };
}
