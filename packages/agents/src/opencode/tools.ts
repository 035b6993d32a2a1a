import type { AgentSaying, ToolKind } from "@opentiger/schema";
import { z } from "zod";
import type { ToolPart } from "./events.ts";

/** What a call was, and what came of it: OpenCode tells both at once. */
export function sayingsOf(part: ToolPart): AgentSaying[] {
  const { tool, callID: id, state } = part;
  const call: AgentSaying = {
    type: "tool_call",
    id,
    tool,
    kind: kindOf(tool),
    summary: summaryOf(part),
    input: JSON.stringify(state.input),
  };
  if (state.status === "error")
    return [call, { type: "tool_result", id, ok: false, output: state.error, exitCode: null }];
  const { exit } = shellResult.parse(state.metadata);
  const ok = tool === "bash" ? exit === 0 : tool !== unknownTool;
  return [
    call,
    { type: "tool_result", id, ok, output: state.output, exitCode: exit ?? null },
    ...changesOf(part),
  ];
}

/** A line for people: the command, the path, the pattern. */
export function summaryOf({ tool, state: { input } }: ToolPart): string {
  const told = telling.map((key) => input[key]).find((each) => typeof each === "string") ?? tool;
  if (tool !== "apply_patch") return told;
  return [...told.matchAll(patchedFile)].map(([, file]) => file).join(", ");
}

/** What the inputs of its tools are called, the most telling first. */
const telling = [
  "command",
  "filePath",
  "patchText",
  "pattern",
  "url",
  "query",
  "description",
  "name",
  "tool",
];

const patchedFile = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

/** Stands for a tool that the model named and that is not there. */
const unknownTool = "invalid";

const kinds: Readonly<Record<string, ToolKind>> = {
  bash: "command",
  edit: "edit",
  write: "edit",
  apply_patch: "edit",
  read: "read",
  glob: "search",
  grep: "search",
  list: "search",
  lsp: "search",
  webfetch: "web",
  websearch: "web",
  todowrite: "plan",
  task: "other",
  skill: "other",
  [unknownTool]: "other",
};

/** Tools of MCP servers have the server's name in front. */
function kindOf(tool: string): ToolKind {
  return kinds[tool] ?? (tool.includes("_") ? "mcp" : "other");
}

/** null: it was ended before it was done. */
const shellResult = z.object({ exit: z.number().int().nullish().catch(undefined) });

const path = z.string();
const written = z.object({ filepath: path, exists: z.boolean() });
const edited = z.object({ filePath: path, oldString: z.string() });
const patched = z.object({
  files: z.array(z.object({ filePath: path, type: z.string(), movePath: path.optional() })),
});

type FileChange = Extract<AgentSaying, { type: "file_change" }>;

function changesOf({ tool, state }: ToolPart): FileChange[] {
  if (state.status !== "completed") return [];
  const { input, metadata } = state;
  switch (tool) {
    case "write": {
      const { data } = written.safeParse(metadata);
      return data ? [changed(data.filepath, data.exists ? "modified" : "added")] : [];
    }
    case "edit": {
      const { data } = edited.safeParse(input);
      return data ? [changed(data.filePath, data.oldString === "" ? "added" : "modified")] : [];
    }
    case "apply_patch":
      return (patched.safeParse(metadata).data?.files ?? []).flatMap(({ filePath, type, movePath }) =>
        movePath === undefined
          ? [changed(filePath, patchChanges[type] ?? "unknown")]
          : [changed(filePath, "deleted"), changed(movePath, "added")],
      );
    default:
      return [];
  }
}

const patchChanges: Readonly<Record<string, FileChange["change"]>> = {
  add: "added",
  update: "modified",
  delete: "deleted",
};

function changed(file: string, change: FileChange["change"]): FileChange {
  return { type: "file_change", path: file, change };
}
