import { type ReworkPoint, type SentBack, sentBack } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import type { Place } from "../place.ts";
import { change } from "../state/change.ts";
import { settleDependents } from "../state/dependents.ts";
import type { Queryable } from "../state/rows.ts";
import { runOfCandidate } from "../state/runs.ts";
import { addMessages, type NewMessage } from "../state/task-messages.ts";
import type { TaskRow } from "../state/tasks.ts";
import { allows } from "../state/transitions.ts";
import { existingLoop, existingTask, withTask } from "./existing.ts";
import { taskNotNow } from "./refusal.ts";
import { reopenLoop } from "./retry-task.ts";
import { addReworkTask } from "./rework-task.ts";
import { refuseTooMany, tellAgent, withoutSecrets } from "./send-message.ts";
import { changedPaths, checkComments, workOf } from "./shown-work.ts";

/** What became of it, and the task that has it now: for work that is on the branch already, that is a new one. */
export interface Sent {
  became: "message" | "rework" | "task";
  task: TaskRow;
}

export type SendBackPlace = Pick<Place, "database" | "config" | "folder" | "env">;

/**
 * Sends a task's work back with what a person says of it, and of lines of its diff: as points for its next run, to the
 * agent that is at work, or, where the work is on the branch, as a new task that needs this one. All of it, or nothing.
 */
export async function sendBack(
  place: SendBackPlace,
  id: string,
  asked: SentBack,
  signal?: AbortSignal,
): Promise<Sent> {
  const { message, comments } = parsed(asked);
  const seen = await existingTask(place.database, id);
  await checkComments(place, seen, comments, signal);
  const said: NewMessage[] = [
    ...(message === undefined ? [] : [{ file: null, line: null, text: message }]),
    ...comments.map(({ path, line, text }) => ({ file: path, line, text })),
  ].map((one) => withoutSecrets(place.env, one));
  const touched = seen.state === "done" ? await changedPaths(place, seen, signal) : [];
  let sent: Sent | undefined;
  await withTask(place.database, id, async (on, task) => {
    if (comments.length > 0 && workOf(task) !== workOf(seen)) throw movedOn(task);
    sent = await asItStands({ place, on, task, said, touched });
  });
  if (sent) return sent;
  throw new OrchestratorError("internal", `what was sent back of task ${id} is not there`);
}

interface Sending {
  place: SendBackPlace;
  on: Queryable;
  task: TaskRow;
  said: readonly NewMessage[];
  touched: readonly string[];
}

async function asItStands(sending: Sending): Promise<Sent> {
  const { place, on, task, said } = sending;
  const { state } = task;
  if (state === "running") {
    await tellAgent(on, task, said);
    return { became: "message", task };
  }
  if (state === "done") return { became: "task", task: await addReworkTask(place, sending) };
  if (!allows("task", "send_back", state) || workOf(task) === null)
    throw taskNotNow(task, "sent back", insteadOf(task));
  await rework(on, { ...task, state }, said);
  return { became: "rework", task: await existingTask(on, task.id) };
}

/** What was found before and is not mended stays; the conversation goes on where it can. */
async function rework(
  on: Queryable,
  task: TaskRow & { state: "blocked(awaiting_judge)" | "blocked(needs_rework)" | "failed" },
  said: readonly NewMessage[],
): Promise<void> {
  const { id, loop, state, candidateOid, rework: before } = task;
  await refuseTooMany(on, task, said.length);
  if (state === "failed") await reopenLoop(on, await existingLoop(on, loop));
  const run = candidateOid === null ? undefined : await runOfCandidate(on, id, candidateOid);
  const points: ReworkPoint[] = said.map((one) => ({ by: "person", ...one }));
  const known = before ?? {
    points: [],
    session: run?.session ?? null,
    agent: run?.agent ?? null,
    from: candidateOid,
    sandbox: null,
  };
  await change(on, {
    what: "task",
    id,
    by: "send_back",
    from: state,
    set: {
      rework: { ...known, failure: "person", points: [...known.points, ...points] },
      detail: null,
      notBefore: null,
      tries: {},
    },
    data: { points: points.length },
  });
  await addMessages(on, task, said, "next run");
  await settleDependents(on, loop);
}

function parsed(asked: SentBack) {
  const given = sentBack.safeParse(asked);
  if (given.success) return given.data;
  const problem = given.error.issues.map(({ path, message }) => [...path, message].join(": ")).join("; ");
  throw new OrchestratorError("usage", `nothing was sent back: ${problem}`, {
    remedy: "give a message, or comments with path, line and text",
  });
}

function movedOn(task: TaskRow): OrchestratorError {
  return taskNotNow(
    task,
    "sent back",
    "Its work has changed meanwhile: look at the new diff, and comment on that.",
  );
}

function insteadOf({ state, loop, number }: TaskRow): string {
  if (state === "failed" || state === "cancelled")
    return `There is no work to send back. Retry it: opentiger task retry ${loop} ${number}`;
  return `There is no work to send back. Change its instructions: opentiger task edit ${loop} ${number}`;
}
