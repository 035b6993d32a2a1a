import type { Sandbox } from "@opentiger/sandbox";
import type { SandboxSummary, TaskFailure } from "@opentiger/schema";
import { z } from "zod";
import { ensurePrepared } from "../project/prepared.ts";
import { removeSeen, unlessGone } from "../project/remove-sandbox.ts";
import { makeSandbox, reopenSandbox } from "../project/sandbox.ts";
import { readSandboxName, taskOfSandbox } from "../project/sandbox-name.ts";
import { taskFailureOf } from "../recovery/task-failures.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { isHeld } from "../state/lease.ts";
import { openStage } from "../state/stages.ts";
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
  const sandbox = expected === null ? await makeNew(work, start) : await reopen(work, expected);
  if (!sandbox) {
    await removeLeft(work);
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
  if (code !== 0)
    work.say(`the work that was kept could not be brought back to its start: ${work.redact(stderr.trim())}`);
}

/** With the packages of the branch that the work is built on: tasks that were merged may have changed lock files. */
async function makeNew(work: Work, { base, start: commit }: StartPoint): Promise<Sandbox> {
  const { place, loop, repository, project, environment, choice, signal, redact, say } = work;
  await removeLeft(work);
  const agent = choice.driver.template;
  const about = { loop, repository, project, environment, agent, signal, redact, say };
  const prepared = await ensurePrepared(place, { ...about, commit: base });
  return makeSandbox(place, { ...about, name: taskSandboxName(work), commit, prepared, phase: "run" });
}

/** An agent may be at work there: nobody sets up a project first to go on with it. */
async function reopen(work: Work, id: string): Promise<Sandbox | undefined> {
  const { place, environment, signal } = work;
  return reopenSandbox(place, { name: taskSandboxName(work), id, environment, signal });
}

/** What an earlier run left is nothing to begin with. Whoever slept over the looking has no stage, and no say, any more. */
export async function removeLeft(work: OfTask & Pick<Work, "lease">): Promise<void> {
  const seen = await taskSandboxes(work);
  if (seen.length === 0) return;
  if (!(await isHeld(work.place.database, work.lease))) throw new LeaseLost(work.lease.stage);
  await removeTaskSandboxes(work, seen);
}

type OfTask = { loop: Pick<Work["loop"], "id">; task: Pick<Work["task"], "number"> } & Pick<
  Work,
  "place" | "environment"
>;

/** Those that there are, of whatever agent: for who removes them later, when they may be followed by others. */
export async function taskSandboxes({ place, loop, task, environment }: OfTask): Promise<SandboxSummary[]> {
  const listed = await (await place.backend(environment)).list();
  return listed.filter(({ name }) => {
    const of = readSandboxName(name);
    return of?.loop === loop.id && of.kind !== "judge" && taskOfSandbox(of) === task.number;
  });
}

/** These, and none that the next holder of the task has made since they were seen. */
export async function removeTaskSandboxes(
  { place, environment }: Pick<OfTask, "place" | "environment">,
  seen: readonly SandboxSummary[],
): Promise<void> {
  const backend = await place.backend(environment);
  for (const sandbox of seen) await removeSeen(backend, sandbox);
}

/** It waits for its next run without taking memory, unless that has begun already, or has made another by now. */
export async function stopTaskSandbox(
  work: OfTask & { task: Pick<Work["task"], "id"> },
  seen: readonly SandboxSummary[],
): Promise<void> {
  const next = await openStage(work.place.database, work.task.id);
  if (next?.state === "claimed") return;
  const backend = await work.place.backend(work.environment);
  for (const { name, id } of seen) await backend.stop(name, { id }).catch(unlessGone);
}
