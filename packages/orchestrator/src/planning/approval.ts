import type { ConfigValue, ExecutionEnvironment, LoopSettings, Plan, VerifyCommand } from "@opentiger/schema";
import { z } from "zod";
import { appendEvent } from "../state/events.ts";
import type { LoopRow } from "../state/loops.ts";
import { oneRow, type Queryable } from "../state/rows.ts";
import type { TaskRow } from "../state/tasks.ts";

interface Asked {
  loop: Pick<LoopRow, "id" | "source" | "settings">;
  plan: Pick<Plan, "tasks">;
  environment: ExecutionEnvironment;
  /** OPENTIGER_APPROVE_PLANS. */
  usual: ConfigValue<"OPENTIGER_APPROVE_PLANS">;
}

/** Why a plan waits for a person before anything of it runs; null: it does not. */
export function whyItWaits({ loop, plan, environment, usual }: Asked): string | null {
  const { id, settings, source } = loop;
  const wanted = wantedByPeople(settings, usual);
  const onHost = environment === "host" && source.kind === "prose";
  if (wanted === null && (!onHost || commandsOf(plan).length === 0)) return null;
  const how = `Look at it with \`opentiger loop show ${id}\`, which says how to let it run.`;
  return [wanted ?? "The plan waits for you.", ...(onHost ? [onMachine(plan)] : []), how].join(" ");
}

/** The same reason, when another plan is in the place of the one for which it was given. */
export function whyItStillWaits(
  why: string | null,
  before: Pick<Plan, "tasks">,
  now: Pick<Plan, "tasks">,
): string | null {
  return why?.replace(onMachine(before), () => onMachine(now)) ?? null;
}

function wantedByPeople(settings: LoopSettings, usual: Asked["usual"]): string | null {
  if (settings.dryRun) return "Only the plan was asked for.";
  return (settings.approve ?? usual === "yes") ? "The plan waits for you." : null;
}

/** What a person lets run on the machine with the plan, where agents work on the host. */
function onMachine(plan: Pick<Plan, "tasks">): string {
  const commands = commandsOf(plan);
  if (commands.length === 0) return "It has no commands that would run on this machine itself.";
  return `It has commands that would run on this machine itself: ${commands.join("; ")}.`;
}

function commandsOf({ tasks }: Pick<Plan, "tasks">): string[] {
  return [...new Set(tasks.flatMap(({ verify }) => verify.map(({ command }) => command)))];
}

/** The event that keeps commands which a person wrote for a task, and so has let run. */
const ownCommands = "task.verify";

/** Part of a transaction that has locked the loop. */
export async function noteOwnCommands(
  on: Queryable,
  { id, loop }: Pick<TaskRow, "id" | "loop">,
  verify: readonly VerifyCommand[] = [],
): Promise<void> {
  if (verify.length === 0) return;
  const commands = verify.map(({ command }) => command);
  await appendEvent(on, { loop, task: id, type: ownCommands, data: { commands } });
}

/**
 * A task as it may be run here: on the host it has no command that a model proposed and no person has let run. Asked when
 * it is run, since where agents work may have been changed after the loop was planned.
 */
export async function asApproved<Task extends Pick<TaskRow, "verify">>(
  on: Queryable,
  loop: Pick<LoopRow, "id" | "source">,
  environment: ExecutionEnvironment,
  task: Task,
): Promise<Task> {
  if (environment !== "host" || loop.source.kind !== "prose" || task.verify.length === 0) return task;
  const { approved, own } = await oneRow(
    on,
    z.object({ approved: z.boolean(), own: z.array(z.string()) }),
    `select exists (select 1 from events where loop_id = $1 and type = 'loop.approve') as approved,
       array(select jsonb_array_elements_text(data->'commands') from events
         where loop_id = $1 and type = '${ownCommands}') as own`,
    [loop.id],
  );
  if (approved) return task;
  return { ...task, verify: task.verify.filter(({ command }) => own.includes(command)) };
}
