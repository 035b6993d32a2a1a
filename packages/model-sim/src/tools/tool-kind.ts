import type { DoneCall } from "../scenario/progress.ts";
import type { ToolCall } from "../scenario/reply.ts";
import type { Change } from "./patch.ts";

/** The next tool call for an action; `problem` where it cannot be done. */
export type CallDraft = Omit<ToolCall, "id"> | { problem: string };

/**
 * How a kind of tools does things. Each is given the calls that were made for it so far, and says the next one;
 * undefined: they were all.
 */
export interface ToolKind {
  run(command: string, calls: readonly DoneCall[]): CallDraft | undefined;
  read(path: string, calls: readonly DoneCall[]): CallDraft | undefined;
  write(path: string, content: string, calls: readonly DoneCall[]): CallDraft | undefined;
  edit(change: Change, calls: readonly DoneCall[]): CallDraft | undefined;
}
