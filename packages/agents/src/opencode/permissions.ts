import type { AgentTask, AgentTool, Permissions } from "../driver.ts";
import { withheldTools } from "../tools.ts";

/** By tool; an object is by what the tool is used on. The last rule that fits decides. */
export type PermissionRules = Readonly<Record<string, Action | Readonly<Record<string, Action>>>>;
type Action = "allow" | "deny";

type Allowed = Pick<AgentTask, "permissions" | "tools">;

/** Where nobody can be asked, OpenCode takes a question for a no and ends the turn: so there is no question. */
export function agentPermissions({ permissions, tools }: Allowed): PermissionRules {
  return { ...rulesOf(permissions), ...without(tools) };
}

function rulesOf(permissions: Permissions): PermissionRules {
  switch (permissions.kind) {
    case "full":
      return { "*": "allow" };
    case "edits":
      return {
        ...reading,
        edit: { "*": "allow", ".git/*": "deny" },
        bash: commandRules(permissions.commands),
      };
    case "read":
      return reading;
  }
}

/**
 * For the agents that ours may start. They do not inherit its rules, so it may start some only where everything is
 * allowed; then they are to be asked nothing either.
 */
export function subagentPermissions({ permissions, tools }: Allowed): PermissionRules {
  if (permissions.kind !== "full") return {};
  return { external_directory: "allow", doom_loop: "allow", read: "allow", ...without(tools) };
}

/** What a rule for a kind of tools is called. A tool that is denied as a whole is not offered. */
const toolNames: Readonly<Record<AgentTool, readonly string[]>> = {
  read: ["read", "glob", "grep", "list"],
  edit: ["edit"],
  command: ["bash"],
  web: ["webfetch", "websearch", "codesearch"],
  agents: ["task"],
};

function without(tools: readonly AgentTool[] | undefined): PermissionRules {
  const names = withheldTools(tools).flatMap((tool) => toolNames[tool]);
  return Object.fromEntries(names.map((name) => [name, "deny"]));
}

/** Everything else is denied: other folders, the web, agents that would not be bound by these rules. */
const reading: PermissionRules = {
  "*": "deny",
  read: { "*": "allow", "*.env": "deny", "*.env.*": "deny", "*.env.example": "allow" },
  glob: "allow",
  grep: "allow",
  list: "allow",
  todowrite: "allow",
  // Whoever follows the run sees a loop as well, and ends it.
  doom_loop: "allow",
};

function commandRules(commands: readonly string[]): Readonly<Record<string, Action>> {
  const allowed = commands.flatMap(simpleCommands).map((command) => [exactly(command), "allow"] as const);
  return { "*": "deny", ...Object.fromEntries(allowed) };
}

/** `*` would stand for anything, and cannot be quoted; `?` stands for one character, and so for a star too. */
function exactly(command: string): string {
  return command.replaceAll("*", "?");
}

const quotes = new Set(["'", '"']);
const separator = /&&|\|\||;|\||\n|&(?!>)/y;

/**
 * The commands of which a line is made: OpenCode asks for each of them alone. What is not understood here is not
 * allowed there, and that is told as any other denial.
 */
export function simpleCommands(line: string): string[] {
  const commands = [""];
  const add = (text: string) => commands.push((commands.pop() ?? "") + text);
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    separator.lastIndex = at;
    const between = quote === "" && line.charAt(at - 1) !== ">" ? separator.exec(line) : null;
    if (between) {
      commands.push("");
      at += between[0].length - 1;
      continue;
    }
    if (char === "\\" && quote !== "'") {
      add(line.slice(at, at + 2));
      at += 1;
      continue;
    }
    if (quotes.has(char) && (quote === "" || quote === char)) quote = quote === "" ? char : "";
    add(char);
  }
  return commands.map((command) => command.trim()).filter((command) => command !== "");
}
