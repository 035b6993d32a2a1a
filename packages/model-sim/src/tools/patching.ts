import type { CallItem, Item, ResultItem } from "../conversation/item.ts";
import type { DoneCall } from "../scenario/progress.ts";
import type { Means } from "./means.ts";
import { addPatch, type Change, changePatch } from "./patch.ts";
import { readCommand, writeCommand } from "./shell-text.ts";
import type { CallDraft, ToolKind } from "./tool-kind.ts";

/** Reads with commands and writes with patches, as Codex's models do, and OpenCode's where they are OpenAI's. */
export function patchingTools(means: Means, items: readonly Item[]): ToolKind {
  return {
    run: (command, calls) => running(command, calls),
    read: (path, calls) => running(readCommand(path), calls),
    write(path, content, calls) {
      const patch = addPatch(path, content);
      if (patch === undefined) return running(writeCommand(path, content), calls);
      return calls.length === 0 ? means.patch(patch) : undefined;
    },
    edit: (change, calls) => edit(change, calls),
  };

  function running(command: string, calls: readonly DoneCall[]): CallDraft | undefined {
    if (calls.length === 0) return means.exec(command);
    return means.stillRunning(calls.at(-1)?.result?.text ?? "");
  }

  /** A patch needs the lines around the change: they are read first, unless the conversation has them. */
  function edit(change: Change, calls: readonly DoneCall[]): CallDraft | undefined {
    if (calls.some(({ call }) => speaksOf(call, `*** Update File: ${change.path}`))) return undefined;
    const text = textOf(change.path);
    if (text === undefined && calls.length === 0) return means.exec(readCommand(change.path));
    const patch = text === undefined ? undefined : changePatch(change, text);
    if (patch === undefined)
      return { problem: `what is to be changed is not in ${change.path}, or not once: ${change.find}` };
    return means.patch(patch);
  }

  /** A file as it was last read; undefined where it was written since, or not read at all. */
  function textOf(path: string): string | undefined {
    const last = items.findLast((item): item is CallItem => item.kind === "call" && speaksOf(item, path));
    if (!last || !speaksOf(last, readCommand(path))) return undefined;
    const result = items.find((item): item is ResultItem => item.kind === "result" && item.id === last.id);
    return result && means.output(result.text);
  }
}

/** Whether a call has this text in it, as it is or in the JSON of its input. */
function speaksOf({ input }: CallItem, text: string): boolean {
  return input.includes(text) || input.includes(JSON.stringify(text).slice(1, -1));
}
