import type { AgentSaying, ToolKind } from "@opentiger/schema";
import { z } from "zod";
import type { ToolResult, ToolUse } from "./events.ts";

type Saying<Type extends AgentSaying["type"]> = Extract<AgentSaying, { type: Type }>;

/** What is remembered of a call until its result comes. */
export interface OpenCall {
  kind: ToolKind;
  /** Of the file that it changes. */
  path: string | undefined;
}

const kinds: ReadonlyMap<string, ToolKind> = new Map([
  ["Bash", "command"],
  ["Write", "edit"],
  ["Edit", "edit"],
  ["NotebookEdit", "edit"],
  ["Read", "read"],
  ["Grep", "search"],
  ["Glob", "search"],
  ["WebFetch", "web"],
  ["WebSearch", "web"],
  ["TodoWrite", "plan"],
  ["TaskCreate", "plan"],
  ["TaskUpdate", "plan"],
  ["TaskGet", "plan"],
  ["TaskList", "plan"],
]);

/** The first of these that a call has tells what it is about. */
const telling = [
  "command",
  "file_path",
  "notebook_path",
  "pattern",
  "url",
  "query",
  "subject",
  "description",
];

function kindOf(tool: string): ToolKind {
  return kinds.get(tool) ?? (tool.startsWith("mcp__") ? "mcp" : "other");
}

export function summaryOf(tool: string, input: Readonly<Record<string, unknown>>): string {
  const told = telling.map((name) => input[name]).find((value) => typeof value === "string" && value !== "");
  return typeof told === "string" ? told : tool;
}

export function callOf({ id, name, input }: ToolUse): Saying<"tool_call"> {
  const summary = summaryOf(name, input);
  return {
    type: "tool_call",
    id,
    tool: name,
    kind: kindOf(name),
    summary,
    input: JSON.stringify(input),
  };
}

export function openCall({ name, input }: ToolUse): OpenCall {
  const kind = kindOf(name);
  return { kind, path: kind === "edit" ? summaryOf(name, input) : undefined };
}

/** The first words of a command's result, where it did not end with 0; they are Claude Code's. */
const exitWords = /^Exit code (\d{1,3})(?:\n|$)/;

const wentOn = z.object({ backgroundTaskId: z.string() });

export function resultOf(
  block: ToolResult,
  call: OpenCall | undefined,
  given: unknown,
): Saying<"tool_result"> {
  const output =
    typeof block.content === "string"
      ? block.content
      : block.content.map((part) => part.text ?? JSON.stringify(part)).join("\n");
  const ok = !block.is_error;
  const exitCode = call?.kind === "command" ? exitCodeOf(ok, output, given) : null;
  return { type: "tool_result", id: block.tool_use_id, ok, output, exitCode };
}

function exitCodeOf(ok: boolean, output: string, given: unknown): number | null {
  if (ok) return wentOn.safeParse(given).success ? null : 0;
  const code = exitWords.exec(output)?.[1];
  return code === undefined ? null : Number(code);
}

const written = z.object({ filePath: z.string(), type: z.enum(["create", "update"]).optional() });

/** The file that a call changed. What another agent's call gave is not told: then only the path is known. */
export function changeOf(call: OpenCall | undefined, given: unknown): Saying<"file_change">[] {
  if (call?.path === undefined) return [];
  const file = written.safeParse(given).data;
  if (!file) return [{ type: "file_change", path: call.path, change: "unknown" }];
  return [
    { type: "file_change", path: file.filePath, change: file.type === "create" ? "added" : "modified" },
  ];
}
