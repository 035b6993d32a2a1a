import type { ToolKind } from "@opentiger/schema";

export interface Denial {
  tool: string;
  kind: ToolKind;
  reason: string;
}

/** A line of Codex's own log about a tool call that failed before it began. */
const routed = /^\S+ +ERROR codex_core::tools::router: error=(.*)$/;

const rejectedCommand =
  /^exec_command failed.*?: CreateProcess \{ message: "Rejected\(\\"`(.*)` rejected: (.*?)\\"\)" \}$/;

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
  const [, command, reason] = rejectedCommand.exec(error) ?? [];
  if (command === undefined) return undefined;
  return { tool: "exec_command", kind: "command", reason: `${command}: ${reason}` };
}
