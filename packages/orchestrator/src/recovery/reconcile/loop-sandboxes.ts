import { type Backend, SandboxError } from "@opentiger/sandbox";
import type { SandboxSummary } from "@opentiger/schema";
import { z } from "zod";
import type { Place } from "../../place.ts";
import { readSandboxName, taskOfSandbox } from "../../project/sandbox-name.ts";
import { oneRow } from "../../state/rows.ts";

/** A sandbox that is called as those of loops are. */
export interface LoopSandbox {
  backend: Backend;
  summary: SandboxSummary;
  loop: string;
  /** null: the loop's own. */
  task: number | null;
  judge: boolean;
}

/** Contract B6: whose sandbox this is, by its name. undefined: none of a loop's. */
export function sandboxOwner(name: string): Pick<LoopSandbox, "loop" | "task" | "judge"> | undefined {
  const of = readSandboxName(name);
  return of && { loop: of.loop, task: taskOfSandbox(of), judge: of.kind === "judge" };
}

/** Those of this instance, of both backends. An engine that is not there holds none that could be touched now. */
export async function loopSandboxes(place: Place): Promise<LoopSandbox[]> {
  const found: LoopSandbox[] = [];
  for (const backend of await backendsInUse(place)) {
    for (const summary of await backend.list()) {
      const owner = summary.own ? sandboxOwner(summary.name) : undefined;
      if (owner) found.push({ backend, summary, ...owner });
    }
  }
  return found;
}

/** Both, or the host's alone where no engine is needed or none is there. */
export async function backendsInUse(place: Place): Promise<Backend[]> {
  const host = await place.backend("host");
  if (!(await usesEngine(place))) return [host];
  try {
    return [host, await place.backend("sandbox")];
  } catch (error) {
    if (error instanceof SandboxError && error.code === "engine_unavailable") return [host];
    throw error;
  }
}

/** Where every loop was on the host, nobody has to have an engine. */
export async function usesEngine({ database, config }: Place): Promise<boolean> {
  const { used } = await oneRow(
    database,
    z.object({ used: z.boolean() }),
    "select exists (select 1 from loops where coalesce(settings->>'environment', $1) <> 'host') as used",
    [config.get("EXECUTION_ENVIRONMENT")],
  );
  return used;
}
