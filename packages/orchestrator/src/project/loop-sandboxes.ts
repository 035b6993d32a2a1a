import { type Backend, openState, SandboxError } from "@opentiger/sandbox";
import type { SandboxSummary } from "@opentiger/schema";
import { z } from "zod";
import type { Place } from "../place.ts";
import { oneRow } from "../state/rows.ts";
import { readSandboxName, taskOfSandbox } from "./sandbox-name.ts";

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

/** What was found, and why it may not be all. */
export interface SeenSandboxes {
  sandboxes: LoopSandbox[];
  /** Of an engine that is needed and cannot be asked now. */
  silence: SandboxError | undefined;
}

/** Those of this instance, of both backends. */
export async function loopSandboxes(place: Place): Promise<SeenSandboxes> {
  const sandboxes: LoopSandbox[] = [];
  const silence = await onBackends(place, async (backend) => {
    for (const summary of await backend.list()) {
      const owner = summary.own ? sandboxOwner(summary.name) : undefined;
      if (owner) sandboxes.push({ backend, summary, ...owner });
    }
  });
  return { sandboxes, silence };
}

/**
 * Does something on the host, and on the engine where one is needed. An engine that cannot be asked holds nothing that
 * could be touched now, and what is on the host is not its affair: why it cannot be asked is returned.
 */
export async function onBackends(
  place: Place,
  act: (backend: Backend) => Promise<void>,
): Promise<SandboxError | undefined> {
  await act(await place.backend("host"));
  if (!(await usesEngine(place))) return undefined;
  try {
    await act(await place.backend("sandbox"));
    return undefined;
  } catch (error) {
    if (error instanceof SandboxError && silences.has(error.code)) return error;
    throw error;
  }
}

const silences: ReadonlySet<string> = new Set(["engine_unavailable", "engine_permission"]);

/**
 * Whether the engine has, or may get, anything of ours. What was made counts, since the setting may be another one by now;
 * where every loop was on the host and nothing was made, nobody has to have an engine.
 */
export async function usesEngine({ database, config, folder }: Place): Promise<boolean> {
  const { records, unreadable } = openState(folder).records.list();
  if (records.length + unreadable.length > 0) return true;
  const { used } = await oneRow(
    database,
    z.object({ used: z.boolean() }),
    "select exists (select 1 from loops where coalesce(settings->>'environment', $1) <> 'host') as used",
    [config.get("EXECUTION_ENVIRONMENT")],
  );
  return used;
}

/** Whether a sandbox of this name is, or is to be, one of the engine's: also where that cannot be asked. */
export function isOnEngine({ folder }: Pick<Place, "folder">, name: string): boolean {
  return openState(folder).records.holderOf(name) !== undefined;
}
