import type { BackendName } from "@opentiger/schema";
import type { AgentTask, AgentTool } from "../driver.ts";

/** What its tools are called. With Bash gone it has Grep and Glob. */
const toolNames: Readonly<Record<AgentTool, readonly string[]>> = {
  read: ["Read", "Grep", "Glob"],
  edit: ["Edit", "Write", "NotebookEdit"],
  command: ["Bash"],
  web: ["WebFetch", "WebSearch"],
  agents: ["Agent"],
};

/** A worktree of its own is where nobody looks for its changes; a wake-up is for a session that goes on. */
const pointless = "EnterWorktree,ExitWorktree,ScheduleWakeup";

const everything = "--dangerously-skip-permissions";

/**
 * What it may do without asking; there is nobody to ask, so that the rest is denied and told of at the end. `edits` are
 * files in the workspace but those that are run or believed later, such as `.git` and `.claude`, and small commands for
 * files (`mkdir`, `mv`, `rm`) and for looking.
 */
export function permissionArguments(
  { permissions, tools }: Pick<AgentTask, "permissions" | "tools">,
  backend: BackendName,
): string[] {
  switch (permissions.kind) {
    case "full":
      return [...offered(tools), everything, "--disallowedTools", pointless];
    case "edits": {
      const rules = permissions.commands.flatMap(commandRule);
      const allowed = rules.length === 0 ? [] : ["--allowedTools", ...rules];
      return [
        ...offered(tools),
        "--permission-mode",
        "acceptEdits",
        ...allowed,
        "--disallowedTools",
        pointless,
      ];
    }
    case "read":
      // On a host it reads the workspace and no more; in a sandbox there is nothing to hide from it.
      return [
        ...offered(tools?.filter((tool) => tool === "read") ?? ["read"]),
        ...(backend === "host" ? ["--permission-mode", "dontAsk"] : [everything]),
      ];
  }
}

/** Nothing is said where it has them all; with an empty word it has none. */
function offered(tools: readonly AgentTool[] | undefined): string[] {
  return tools ? ["--tools", tools.flatMap((tool) => toolNames[tool]).join(",")] : [];
}

/**
 * The rule that allows exactly this command. Claude Code knows no way to write a star that means itself: a command with
 * one is allowed with anything in its place, and what ends with `:*` would be a prefix and is left out. The parts of a
 * pipe it asks for one by one, so that no rule allows a pipe as a whole.
 */
function commandRule(command: string): string[] {
  if (command.endsWith(":*")) return [];
  const escaped = command.replaceAll("\\", "\\\\").replaceAll("(", "\\(").replaceAll(")", "\\)");
  return [`Bash(${escaped})`];
}
