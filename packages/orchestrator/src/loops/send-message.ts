import { Redactor } from "@opentiger/agents";
import { messageText } from "@opentiger/schema";
import { knownSecrets } from "../agent/known-secrets.ts";
import { OrchestratorError } from "../errors.ts";
import type { Place } from "../place.ts";
import type { Queryable } from "../state/rows.ts";
import {
  addMessages,
  countMessages,
  mostMessages,
  type NewMessage,
  type TaskMessageRow,
  waitingMessages,
} from "../state/task-messages.ts";
import type { TaskRow } from "../state/tasks.ts";
import { withTask } from "./existing.ts";
import { taskNotNow } from "./refusal.ts";

/** So many may wait; an agent that does not come to hear them has another trouble. */
const mostWaiting = 20;

/**
 * Says something to the agent that works on a task: its turn is ended, and the same conversation goes on with it. It is
 * kept until an agent has it, whoever dies meanwhile. A task that nobody works on refuses it, and says what to do.
 */
export async function sendMessage(
  { database, env }: Pick<Place, "database" | "env">,
  id: string,
  text: string,
): Promise<TaskMessageRow> {
  const said = withoutSecrets(env, { file: null, line: null, text: checked(text) });
  let sent: TaskMessageRow | undefined;
  await withTask(database, id, async (on, task) => {
    if (task.state !== "running") throw taskNotNow(task, "given a message", insteadOf(task));
    [sent] = await tellAgent(on, task, [said]);
  });
  if (sent) return sent;
  throw new OrchestratorError("internal", `the message to task ${id} is not there`);
}

/** Part of a transaction that has locked the loop of a task that runs. */
export async function tellAgent(
  on: Queryable,
  task: TaskRow,
  said: readonly NewMessage[],
): Promise<TaskMessageRow[]> {
  if ((await waitingMessages(on, task.id)) + said.length > Math.max(mostWaiting, said.length))
    throw taskNotNow(
      task,
      "given more messages",
      `${mostWaiting} wait already; wait until the agent has them.`,
    );
  await refuseTooMany(on, task, said.length);
  return addMessages(on, task, said, "agent");
}

export async function refuseTooMany(on: Queryable, task: TaskRow, more: number): Promise<void> {
  if ((await countMessages(on, task.id)) + more <= mostMessages) return;
  const remedy = "Say what is missing in the instructions of a new task.";
  throw taskNotNow(task, `told more than ${mostMessages} things`, remedy);
}

/** What is known to be a secret is not stored, and no model gets it. */
export function withoutSecrets(env: NodeJS.ProcessEnv, said: NewMessage): NewMessage {
  return { ...said, text: new Redactor(knownSecrets(env)).text(said.text) };
}

function checked(text: string): string {
  const given = messageText.safeParse(text);
  if (given.success) return given.data;
  const remedy =
    text.trim() === "" ? "say something" : "put what is longer into a file of the repository, and name that";
  throw new OrchestratorError("usage", `a message has between 1 and ${messageText.maxLength} characters`, {
    remedy,
  });
}

function insteadOf({ state, loop, number, candidateOid }: TaskRow): string {
  const named = `${loop} ${number}`;
  const back = `Send it back instead: opentiger task send-back ${named} -m "…"`;
  if (state === "done" || state === "blocked(awaiting_judge)" || state === "blocked(needs_rework)")
    return back;
  if (state === "failed" && candidateOid !== null) return back;
  if (state === "failed" || state === "cancelled") return `Retry it first: opentiger task retry ${named}`;
  return `Nobody works on it yet. Change its instructions: opentiger task edit ${named}`;
}
