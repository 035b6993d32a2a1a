import { isAbsolute, join } from "node:path/posix";
import type { Item } from "../conversation/item.ts";
import type { OfferedTool } from "../conversation/model-request.ts";
import type { DoneCall } from "../scenario/progress.ts";
import type { CallDraft, ToolKind } from "./tool-kind.ts";

/** The tools of Claude Code and of OpenCode, which are the same under other names. */
const names = {
  run: ["Bash", "bash"],
  read: ["Read", "read"],
  write: ["Write", "write"],
  edit: ["Edit", "edit"],
} as const satisfies Record<string, readonly string[]>;

type Purpose = keyof typeof names;

/** A tool for each thing, which takes absolute paths, and which wants a file to be read before it is changed. */
export function namedTools(
  tools: readonly OfferedTool[],
  cwd: string | undefined,
  items: readonly Item[],
): ToolKind {
  return {
    run: (command, calls) =>
      calls.length === 0 ? draft("run", { command, description: "Run a command" }) : undefined,
    read: (path, calls) => (calls.length === 0 ? draft("read", at(path)) : undefined),
    write(path, content, calls) {
      const last = calls.at(-1);
      if (!last || isFor("read", last)) return draft("write", { ...at(path), content });
      // Over a file that it has not read it refuses; so a model reads it, and tries again.
      return last.result?.error && calls.length === 1 ? draft("read", at(path)) : undefined;
    },
    edit({ path, find, replace }, calls) {
      const last = calls.at(-1);
      if (!last && !isKnown(path)) return draft("read", at(path));
      if (last && !isFor("read", last)) return undefined;
      const change = { old_string: find, new_string: replace, oldString: find, newString: replace };
      return draft("edit", { ...at(path), ...change });
    },
  };

  /** Of what is given, a tool gets what it knows: the two CLIs spell their parameters differently. */
  function draft(purpose: Purpose, input: Record<string, string>): CallDraft {
    const tool = tools.find(({ name }) => isName(purpose, name));
    if (!tool) return { problem: `no tool to ${purpose} was offered` };
    const known = Object.entries(input).filter(([key]) => tool.properties.includes(key));
    return { name: tool.name, namespace: tool.namespace, input: Object.fromEntries(known) };
  }

  function at(path: string): Record<string, string> {
    return { file_path: absolute(path), filePath: absolute(path) };
  }

  function absolute(path: string): string {
    return isAbsolute(path) || cwd === undefined ? path : join(cwd, path);
  }

  /** Whether the conversation has read or written the file before. */
  function isKnown(path: string): boolean {
    const told = JSON.stringify(absolute(path));
    return items.some((item) => item.kind === "call" && item.input.includes(told));
  }
}

function isFor(purpose: Purpose, { call }: DoneCall): boolean {
  return isName(purpose, call.name);
}

function isName(purpose: Purpose, name: string): boolean {
  return names[purpose].some((each) => each === name);
}
