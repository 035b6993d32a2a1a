import { loopSandboxName } from "@opentiger/sandbox";
import type { AgentName } from "@opentiger/schema";

/** A sandbox of a loop's, by what it is for. Contract B6 fixes how the loop's own and those of its tasks are called. */
export type LoopSandboxOf<Agent extends string = AgentName> = { loop: string } & (
  | { kind: "loop"; agent: Agent }
  | { kind: "prepare" }
  /** Where the checks stand before anything is changed, apart from agents; for the loop, or while a task is run. */
  | { kind: "baseline"; task: number | null }
  | { kind: "task"; agent: Agent; task: number }
  /** The one in which the model looks has no part. */
  | { kind: "judge"; agent: Agent; task: number; part: string | null }
);

export function sandboxName(of: LoopSandboxOf): string {
  switch (of.kind) {
    case "loop":
      return loopSandboxName(of.loop, of.agent);
    case "prepare":
      return `loop-${of.loop}-prepare`;
    case "baseline":
      return `loop-${of.loop}-baseline${of.task === null ? "" : `-${of.task}`}`;
    case "task":
      return `${loopSandboxName(of.loop, of.agent)}-${of.task}`;
    case "judge":
      return `${loopSandboxName(of.loop, of.agent)}-${of.task}-judge${of.part === null ? "" : `-${of.part}`}`;
  }
}

const pattern = /^loop-([a-z0-9]{8})-([a-z]+)(?:-(\d+)(-judge(?:-([a-z]+))?)?)?$/;

/** Whose sandbox this is, by its name, whatever agents there were when it was made. undefined: none of a loop's. */
export function readSandboxName(name: string): LoopSandboxOf<string> | undefined {
  const [, loop, word, number, judge, part = null] = pattern.exec(name) ?? [];
  if (loop === undefined || word === undefined) return undefined;
  const task = number === undefined ? null : Number(number);
  if (task !== null && judge !== undefined) return { loop, kind: "judge", agent: word, task, part };
  if (word === "baseline") return { loop, kind: "baseline", task };
  if (task !== null) return { loop, kind: "task", agent: word, task };
  return word === "prepare" ? { loop, kind: "prepare" } : { loop, kind: "loop", agent: word };
}

/** The task that a sandbox is made for; null where it is the loop's. */
export function taskOfSandbox(of: LoopSandboxOf<string>): number | null {
  return "task" in of ? of.task : null;
}
