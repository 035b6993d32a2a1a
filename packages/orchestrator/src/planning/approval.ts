import { createHash } from "node:crypto";
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

/** The event that keeps which commands a person wrote for a task, and so has let run. */
const ownCommands = "task.verify";

/** Part of a transaction that has locked the loop. By their hashes: what looks like a secret is kept in no event. */
export async function noteOwnCommands(
  on: Queryable,
  { id, loop }: Pick<TaskRow, "id" | "loop">,
  verify: readonly VerifyCommand[] = [],
): Promise<void> {
  if (verify.length === 0) return;
  const hashes = verify.map(({ command }) => hashOf(command));
  await appendEvent(on, { loop, task: id, type: ownCommands, data: { hashes } });
}

export interface Approved<Task> {
  tasks: Task[];
  /** The commands of theirs that are not run here. */
  leftOut: string[];
}

/**
 * Tasks as they may be run here: on the host they have no command that a model proposed and no person has let run. Asked
 * when they are run, since where agents work may have been changed after the loop was planned.
 */
export async function asApproved<Task extends Pick<TaskRow, "verify">>(
  on: Queryable,
  loop: Pick<LoopRow, "id" | "source">,
  environment: ExecutionEnvironment,
  tasks: readonly Task[],
): Promise<Approved<Task>> {
  const all = { tasks: [...tasks], leftOut: [] };
  const hasCommands = tasks.some(({ verify }) => verify.length > 0);
  if (environment !== "host" || loop.source.kind !== "prose" || !hasCommands) return all;
  const { approved, commands, hashes } = await oneRow(on, approvalRow, approvalOf, [loop.id, ownCommands]);
  if (approved) return all;
  const own = new Set([...hashes, ...commands.map(hashOf)]);
  const isOwn = ({ command }: VerifyCommand): boolean => own.has(hashOf(command));
  const leftOut = tasks.flatMap(({ verify }) => verify.filter((each) => !isOwn(each)));
  return {
    tasks: tasks.map((task) => ({ ...task, verify: task.verify.filter(isOwn) })),
    leftOut: [...new Set(leftOut.map(({ command }) => command))],
  };
}

/** What is said of a command that was left out. */
export function leftOutNote(command: string): string {
  return `not run, since a model proposed it and nobody has let it run on this machine: ${command}`;
}

const approvalRow = z.object({
  approved: z.boolean(),
  /** As events had them before there were hashes in them. */
  commands: z.array(z.string()),
  hashes: z.array(z.string()),
});

const approvalOf = `select exists (select 1 from events where loop_id = $1 and type = 'loop.approve') as approved,
  array(select jsonb_array_elements_text(data->'commands') from events where loop_id = $1 and type = $2) as commands,
  array(select jsonb_array_elements_text(data->'hashes') from events where loop_id = $1 and type = $2) as hashes`;

function hashOf(command: string): string {
  return createHash("sha256").update(command).digest("hex");
}
