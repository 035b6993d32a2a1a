import { type AgentSaying, jsonOf, type TokenCount } from "@opentiger/schema";
import type { AgentEnding, AgentError, AgentReader, AgentTask } from "../driver.ts";
import { RecentMap } from "../events/recent-map.ts";
import { denialIn } from "./denials.ts";
import { type CodexItem, eventIn } from "./events.ts";
import { errorOf, silentEnd } from "./failures.ts";
import { callOf, changesOf, isTool, resultOf, type ToolItem, withoutShell } from "./items.ts";
import { tokensOf, tokensSince } from "./tokens.ts";

/** An agent that is denied more calls than this is denied the same ones again; the first of them say enough. */
const keptDenials = 100;

/** Commands that go on in the background have no end; of those the oldest are forgotten. */
const mostOpen = 1000;

/** While it still tries, Codex tells of each failure in these words. */
const tryingAgain = /^Reconnecting\.\.\. /;

/** What it says on stderr when it ends before a turn began, or in the middle of one: it has no event for that. */
const ownError = /^Error(?:: | loading )(.+)$/;

/** Reads `codex exec --json`. */
export class CodexReader implements AgentReader {
  readonly #task: AgentTask;
  readonly #open = new RecentMap<true>(mostOpen);
  readonly #denials: string[] = [];
  #complete = false;
  #session: string | null = null;
  #error: AgentError | null = null;
  #lastText: string | null = null;
  /** Whether the last thing was a word of the model's. */
  #spoke = false;
  #tokens: TokenCount | null = null;
  #plans = 0;
  #rejected = 0;

  constructor(task: AgentTask) {
    this.#task = task;
  }

  line(line: string): AgentSaying[] {
    const event = eventIn(line);
    const raw: AgentSaying = { type: "raw", stream: "stdout", line };
    switch (event?.type) {
      case "thread.started":
        return [this.#started(event.thread_id)];
      case "turn.started":
        return [];
      case "item.started":
        return this.#begun(event.item);
      case "item.updated":
        return event.item.type === "todo_list" ? this.#plan(event.item) : [];
      case "item.completed":
        return this.#done(event.item);
      case "turn.completed":
        return this.#finished(event.usage);
      case "turn.failed":
        return this.#failed(event.error.message);
      case "error":
        if (!tryingAgain.test(event.message)) this.#error = errorOf(event.message);
        return [raw];
      case undefined:
        return [raw];
    }
  }

  errorLine(line: string): AgentSaying[] {
    const error = ownError.exec(line)?.[1];
    if (error !== undefined && !this.#complete) {
      this.#complete = true;
      this.#error = errorOf(error);
    }
    const denial = denialIn(line);
    if (!denial) return [];
    const { tool, kind, reason } = denial;
    this.#rejected += 1;
    const id = `rejected_${this.#rejected}`;
    // Where everything is allowed it still refuses `rm -f`, and says so to the model, which finds another way.
    if (this.#task.permissions.kind !== "full") this.#deny(`${tool}: ${reason}`);
    return [
      { type: "tool_call", id, tool, kind, summary: reason, input: "{}" },
      { type: "tool_result", id, ok: false, output: reason, exitCode: null },
    ];
  }

  ending(): AgentEnding {
    return {
      complete: this.#complete,
      session: this.#session,
      error: this.#error,
      answer: this.#task.answer && jsonOf(this.#lastText ?? ""),
      lastText: this.#lastText,
      denials: this.#denials,
      tokens: this.#tokens,
      usd: null,
      turns: null,
    };
  }

  /** Asked to resume what it does not know, Codex may begin anew: its id tells. */
  #started(thread: string): AgentSaying {
    this.#session = thread;
    const { session, model = null } = this.#task;
    return {
      type: "started",
      session: thread,
      model,
      resumed: session.kind === "resumed" && session.id === thread,
    };
  }

  #begun(item: CodexItem): AgentSaying[] {
    if (item.type === "todo_list") return this.#plan(item);
    if (!isTool(item)) return [];
    this.#spoke = false;
    this.#open.set(item.id, true);
    return [callOf(item)];
  }

  #done(item: CodexItem): AgentSaying[] {
    if (item.type === "reasoning") return [{ type: "thinking", text: item.text }];
    if (item.type === "agent_message") {
      this.#lastText = item.text;
      this.#spoke = true;
      return [{ type: "text", text: item.text }];
    }
    // It says at the end once more how the plan was.
    if (item.type === "todo_list") return [];
    if (item.type === "command_execution" && item.status === "declined")
      this.#deny(withoutShell(item.command));
    const result = [resultOf(item), ...changesOf(item)];
    // What was begun before the last word may end after it.
    if (this.#open.take(item.id)) return result;
    this.#spoke = false;
    return [callOf(item), ...result];
  }

  /** Each state of the plan is a call of its own, done at once. */
  #plan(item: Extract<ToolItem, { type: "todo_list" }>): AgentSaying[] {
    this.#plans += 1;
    this.#spoke = false;
    const state = { ...item, id: `${item.id}.${this.#plans}` };
    return [callOf(state), resultOf(state)];
  }

  #finished(usage: Parameters<typeof tokensOf>[0]): AgentSaying[] {
    this.#complete = true;
    this.#error = this.#spoke ? null : silentEnd();
    this.#tokens = tokensSince(this.#task.session, tokensOf(usage));
    return [
      ...(this.#tokens ? [{ type: "usage", tokens: this.#tokens, usd: null } as const] : []),
      { type: "finished", ok: this.#error === null, message: this.#error?.message ?? this.#lastText ?? "" },
    ];
  }

  #failed(message: string): AgentSaying[] {
    this.#complete = true;
    this.#error = errorOf(message);
    return [{ type: "finished", ok: false, message: this.#error.message }];
  }

  #deny(what: string): void {
    if (this.#denials.length < keptDenials) this.#denials.push(what);
  }
}
