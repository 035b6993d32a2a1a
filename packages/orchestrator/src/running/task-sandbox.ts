import type { Sandbox } from "@opentiger/sandbox";
import type { TaskFailure } from "@opentiger/schema";
import { z } from "zod";
import { ensurePrepared } from "../project/prepared.ts";
import { removeSandbox, unlessGone } from "../project/remove-sandbox.ts";
import { makeSandbox } from "../project/sandbox.ts";
import { taskFailureOf } from "../recovery/task-failures.ts";
import { forgetDispute } from "./dispute.ts";
import { sayInside } from "./inside.ts";
import type { StartPoint } from "./start-point.ts";
import { taskSandboxName, type Work } from "./work.ts";

const made = z.object({ id: z.string() });

/**
 * The sandbox of this run: new and at the start, the one that was kept for it, or after a crash the one in which it is
 * under way. One that is gone was removed, and took the agent's work with it.
 */
export async function openTaskSandbox(
  work: Work,
  start: StartPoint,
): Promise<{ sandbox: Sandbox } | { failure: TaskFailure }> {
  const { journal } = work;
  const begun = await journal.known("sandbox", made);
  const expected = begun?.id ?? start.sandbox;
  if (!expected) await removeTaskSandboxes(work);
  const sandbox = await make(work, start);
  if (expected && sandbox.id !== expected) {
    await sandbox.close().catch(() => {});
    await removeTaskSandboxes(work);
    return { failure: taskFailureOf("removed") };
  }
  try {
    if (!begun) await freshen(work, sandbox, start);
    await journal.step("sandbox", made, async () => ({ id: sandbox.id }));
    return { sandbox };
  } catch (error) {
    await sandbox.close().catch(() => {});
    throw error;
  }
}

/**
 * A new one is as it should be, unless its set-up left something where words about tests are looked for. In one that was
 * kept, git shows all of the work as changes that are not committed yet: an agent that takes something back finds what
 * was there before it.
 */
async function freshen(work: Work, sandbox: Sandbox, from: StartPoint): Promise<void> {
  const { sandbox: kept, start, locked } = from;
  if (kept !== null || locked.length > 0) await forgetDispute(work, sandbox);
  if (kept === null) return;
  const script = 'git -c core.hooksPath=/dev/null -c core.fsmonitor=false reset --quiet "$1"';
  const { code, stderr } = await sayInside(work, sandbox, script, { words: [start] });
  if (code !== 0) work.say(`the work that was kept could not be brought back to its start: ${stderr.trim()}`);
}

/** With the packages of the branch that the work is built on: tasks that were merged may have changed lock files. */
async function make(work: Work, { base, start: commit }: StartPoint): Promise<Sandbox> {
  const { place, loop, repository, project, environment, choice, signal, say } = work;
  const agent = choice.driver.template;
  const about = { loop, repository, project, environment, agent, signal, say };
  const prepared = await ensurePrepared(place, { ...about, commit: base });
  return makeSandbox(place, { ...about, name: taskSandboxName(work), commit, prepared, phase: "run" });
}

/** Of whatever agent: what an earlier run left is nothing to begin with. */
export async function removeTaskSandboxes({ place, loop, task, environment }: Work): Promise<void> {
  const backend = await place.backend(environment);
  const ofTask = new RegExp(`^loop-${loop.id}-[a-z]+-${task.number}$`);
  for (const { name } of await backend.list()) if (ofTask.test(name)) await removeSandbox(backend, name);
}

/** It waits for its next run without taking memory. */
export async function stopTaskSandbox(work: Work): Promise<void> {
  const backend = await work.place.backend(work.environment);
  await backend.stop(taskSandboxName(work)).catch(unlessGone);
}
