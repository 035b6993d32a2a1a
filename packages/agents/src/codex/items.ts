import type { AgentSaying } from "@opentiger/schema";
import type { CodexItem } from "./events.ts";

type ToolCall = Extract<AgentSaying, { type: "tool_call" }>;
type ToolResult = Extract<AgentSaying, { type: "tool_result" }>;

/** An item by which Codex tells of a tool. */
export type ToolItem = Exclude<CodexItem, { type: "agent_message" | "reasoning" }>;

export function isTool(item: CodexItem): item is ToolItem {
  return item.type !== "agent_message" && item.type !== "reasoning";
}

/** What it is about to do. */
export function callOf(item: ToolItem): ToolCall {
  const call = { type: "tool_call", id: item.id, tool: item.type } as const;
  switch (item.type) {
    case "command_execution": {
      const command = withoutShell(item.command);
      return { ...call, kind: "command", summary: command, input: JSON.stringify({ command }) };
    }
    case "file_change": {
      const paths = item.changes.map(({ path }) => path).join(", ");
      return { ...call, kind: "edit", summary: paths, input: JSON.stringify({ changes: item.changes }) };
    }
    case "mcp_tool_call": {
      const tool = `${item.server}.${item.tool}`;
      return { ...call, tool, kind: "mcp", summary: tool, input: JSON.stringify(item.arguments ?? {}) };
    }
    case "web_search":
      return { ...call, kind: "web", summary: item.query, input: JSON.stringify({ query: item.query }) };
    case "todo_list": {
      const summary = item.items
        .map(({ text, completed }) => `[${completed ? "x" : " "}] ${text}`)
        .join(", ");
      return { ...call, kind: "plan", summary, input: JSON.stringify({ items: item.items }) };
    }
  }
}

/** What came of it. */
export function resultOf(item: ToolItem): ToolResult {
  const result = { type: "tool_result", id: item.id, exitCode: null } as const;
  switch (item.type) {
    case "command_execution": {
      const exitCode = item.exit_code ?? null;
      return { ...result, ok: exitCode === 0, output: item.aggregated_output, exitCode };
    }
    case "file_change":
      return { ...result, ok: item.status === "completed", output: "" };
    case "mcp_tool_call": {
      const output = item.error?.message ?? (item.result?.content ?? []).map(textOf).join("\n");
      return { ...result, ok: item.status === "completed", output };
    }
    case "web_search":
    case "todo_list":
      return { ...result, ok: true, output: "" };
  }
}

type Change = Extract<AgentSaying, { type: "file_change" }>["change"];

const changes: ReadonlyMap<string, Change> = new Map([
  ["add", "added"],
  ["update", "modified"],
  ["delete", "deleted"],
]);

/** The files that were really changed. */
export function changesOf(item: ToolItem): AgentSaying[] {
  if (item.type !== "file_change" || item.status !== "completed") return [];
  return item.changes.map(({ path, kind }) => ({
    type: "file_change",
    path,
    change: changes.get(kind) ?? "unknown",
  }));
}

const shell = /^\S*sh -l?c (?:'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s'"]+))$/s;

/** The command as the model gave it: Codex shows it as a quoted word of the shell that it starts. */
export function withoutShell(command: string): string {
  const [, single, double, plain] = shell.exec(command) ?? [];
  return single ?? double?.replaceAll(/\\(.)/gs, "$1") ?? plain ?? command;
}

function textOf(content: unknown): string {
  const told =
    typeof content === "object" && content !== null && "text" in content ? content.text : undefined;
  return typeof told === "string" ? told : JSON.stringify(content);
}
