import { endRun } from "../../agent/end-run.ts";
import { countedByGateway } from "../../agent/gateway.ts";
import { forgetTranscripts } from "../../agent/run-files.ts";
import type { Place } from "../../place.ts";
import {
  isOnEngine,
  type LoopSandbox,
  loopSandboxes,
  type SeenSandboxes,
} from "../../project/loop-sandboxes.ts";
import { findLoop } from "../../state/loops.ts";
import { type RunRow, strayRuns } from "../../state/runs.ts";
import { findTask } from "../../state/tasks.ts";

/**
 * Ends the runs whose stage was ended under them: by a person who cancelled, or because nobody came back. First their
 * agents, then the row, so that a run which is not running any more has nothing that runs.
 */
export async function endStrayRuns(place: Place): Promise<void> {
  const strays = await strayRuns(place.database);
  if (strays.length === 0) return;
  const seen = await loopSandboxes(place);
  for (const run of strays)
    await endStray(place, run, seen).catch((error: unknown) => place.log(`run ${run.id}: ${String(error)}`));
}

async function endStray(place: Place, run: RunRow, { sandboxes, silence }: SeenSandboxes): Promise<void> {
  const own = sandboxes.filter(({ summary }) => summary.name === run.sandbox);
  // Its agent may still be at work where nobody can look.
  if (silence && run.sandbox !== null && isOnEngine(place, run.sandbox)) throw silence;
  for (const sandbox of own) await endAgent(run, sandbox);
  const by = (await wasCancelled(place, run)) ? "cancel" : "lose";
  const set = await countedByGateway(place, run);
  await place.database.transaction((on) => endRun(place, on, { id: run.id, by, set }));
  forgetTranscripts(place, run);
}

/** Of the sandbox only what belongs to this run: another one may be at work there by now. */
async function endAgent(run: RunRow, { backend, summary }: LoopSandbox): Promise<void> {
  // One that is stopped has no process, and opening it would start it.
  if (summary.status !== "running") return;
  try {
    const sandbox = await backend.open(summary.name);
    try {
      const execs = await sandbox.execs();
      const own = execs.filter(({ id, exit }) => exit === null && isOf(run, id));
      for (const { id } of own) {
        const agent = await sandbox.attach(id);
        agent.exit.catch(() => {});
        await agent.kill("SIGKILL");
        agent.detach();
      }
    } finally {
      await sandbox.close();
    }
  } catch (error) {
    // Whoever removed it meanwhile has ended the agent with it.
    if ((await backend.list()).some(({ id }) => id === summary.id)) throw error;
  }
}

/** Execs are called after the run for which they were started. */
function isOf({ id, execId }: RunRow, exec: string): boolean {
  return exec === execId || exec.includes(id);
}

async function wasCancelled({ database }: Place, { loop, task }: RunRow): Promise<boolean> {
  if ((await findLoop(database, loop))?.state === "cancelled") return true;
  return task !== null && (await findTask(database, task))?.state === "cancelled";
}
