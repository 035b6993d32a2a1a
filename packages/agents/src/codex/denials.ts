import type { ToolKind } from "@opentiger/schema";

export interface Denial {
  tool: string;
  kind: ToolKind;
  reason: string;
}

/** A line of Codex's own log about a tool call that failed before it began. */
const routed = /^\S+ +ERROR codex_core::tools::router: error=(.*)$/;

/**
 * A tool call that Codex did not let the model make. Of those it prints no event: only the model hears of it, and its
 * log. A command that ran in Codex's sandbox and failed there is none of them; it has an exit code like any other.
 */
export function denialIn(line: string): Denial | undefined {
  const error = routed.exec(line)?.[1];
  if (error === undefined) return undefined;
  if (error.startsWith("patch rejected: "))
    return { tool: "apply_patch", kind: "edit", reason: error.slice("patch rejected: ".length) };
  if (error.startsWith("approval policy is Never; reject command"))
    return { tool: "exec_command", kind: "command", reason: "it asked to leave Codex's sandbox" };
  const rejected = rejectedCommand(error);
  if (rejected === undefined) return undefined;
  return { tool: "exec_command", kind: "command", reason: rejected };
}

const begin = 'CreateProcess { message: "Rejected(\\"`';
const between = "` rejected: ";
const end = '\\")" }';

/** `COMMAND: REASON`. Each mark is looked for once: the model chooses what stands between them, marks and all. */
function rejectedCommand(error: string): string | undefined {
  if (!error.startsWith("exec_command failed") || !error.endsWith(end)) return undefined;
  const first = error.indexOf(`: ${begin}`);
  const middle = error.lastIndexOf(between);
  const start = first + begin.length + 2;
  if (first < 0 || middle < start) return undefined;
  return `${error.slice(start, middle)}: ${error.slice(middle + between.length, -end.length)}`;
}
