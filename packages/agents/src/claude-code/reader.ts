import { type AgentSaying, noTokens, restOfTokens, sumOfTokens, type TokenCount } from "@opentiger/schema";
import type { AgentEnding, AgentError, AgentReader, AgentTask } from "../driver.ts";
import { RecentMap } from "../events/recent-map.ts";
import { type ClaudeLine, type ClaudeResult, lineIn } from "./events.ts";
import { errorOf, type Heard } from "./failures.ts";
import { isNothing, tokensOf, totalTokens } from "./tokens.ts";
import { callOf, changeOf, type OpenCall, openCall, resultOf, summaryOf } from "./tools.ts";

type Line<Type extends ClaudeLine["type"]> = Extract<ClaudeLine, { type: Type }>;
type Block = Line<"assistant">["message"]["content"][number];

/** Answers and calls of several agents come mixed, but never so many at once. */
const mostOpen = 1000;

/** An agent that is denied more calls than this is denied the same ones again; the first of them say enough. */
const keptDenials = 100;

/** Reads `claude -p --output-format stream-json --verbose`. */
export class ClaudeReader implements AgentReader {
  readonly #task: AgentTask;
  readonly #calls = new RecentMap<OpenCall>(mostOpen);
  readonly #counted = new RecentMap<true>(mostOpen);
  readonly #heard: Heard = { word: null, retriedStatus: null, limitEnds: null };
  #session: string | null = null;
  #lastText: string | null = null;
  #told: { tokens: TokenCount; usd: number } = { tokens: noTokens, usd: 0 };
  #result: ClaudeResult | null = null;
  #error: AgentError | null = null;

  constructor(task: AgentTask) {
    this.#task = task;
  }

  line(line: string): AgentSaying[] {
    const read = lineIn(line);
    switch (read?.type) {
      case "system":
        return this.#system(read, line);
      case "assistant":
        return this.#assistant(read);
      case "user":
        return this.#user(read);
      case "result":
        return this.#finished(read);
      case "rate_limit_event":
        this.#limit(read);
        return read.rate_limit_info.status === "allowed" ? [] : [raw(line)];
      case "control_response":
        return [];
      case undefined:
        return [raw(line)];
    }
  }

  ending(): AgentEnding {
    const result = this.#result;
    return {
      complete: result !== null,
      session: this.#session,
      error: this.#error,
      answer: result?.structured_output,
      lastText: this.#lastText,
      denials: (result?.permission_denials ?? [])
        .slice(0, keptDenials)
        .map(({ tool_name: tool, tool_input: input }) => `${tool}: ${summaryOf(tool, input)}`),
      // Before its end it tells too little: of an answer's output only the beginning.
      tokens: result && this.#told.tokens,
      usd: result?.total_cost_usd ?? null,
      turns: result?.num_turns ?? null,
    };
  }

  #system(read: Line<"system">, line: string): AgentSaying[] {
    if (read.subtype === "api_retry") {
      this.#heard.retriedStatus = read.error_status ?? null;
      return [raw(line)];
    }
    // When it goes on by itself, after something in the background was done, it begins once more.
    if (read.subtype !== "init" || this.#session !== null) return [];
    this.#session = read.session_id;
    const resumed = this.#task.session.kind === "resumed";
    return [{ type: "started", session: read.session_id, model: read.model ?? null, resumed }];
  }

  #assistant({ message, parent_tool_use_id: parent, error }: Line<"assistant">): AgentSaying[] {
    // What it writes in the model's name is told of at the end.
    if (error != null) {
      this.#heard.word = error;
      return [];
    }
    this.#heard.retriedStatus = null;
    const said = message.content.flatMap((block) => this.#block(block, parent));
    return [...said, ...this.#used(message)];
  }

  #block(block: Block, parent: string | null | undefined): AgentSaying[] {
    switch (block.type) {
      case "text":
        if (parent == null) this.#lastText = block.text;
        return [{ type: "text", text: block.text }];
      case "thinking":
        return block.thinking === "" ? [] : [{ type: "thinking", text: block.thinking }];
      case "tool_use":
        this.#calls.set(block.id, openCall(block));
        return [callOf(block)];
      case "other":
        return [];
    }
  }

  /** Once for each answer: its output is then only begun to be counted, and the rest is told at the end. */
  #used({ id, usage }: Line<"assistant">["message"]): AgentSaying[] {
    if (!usage || this.#counted.has(id)) return [];
    this.#counted.set(id, true);
    return this.#count(tokensOf(usage), null);
  }

  #user({ message: { content }, tool_use_result: given }: Line<"user">): AgentSaying[] {
    if (typeof content === "string") return [];
    return content.flatMap((block): AgentSaying[] => {
      if (block.type === "other") return [];
      const call = this.#calls.take(block.tool_use_id);
      const result = resultOf(block, call, given);
      return [result, ...(result.ok ? changeOf(call, given) : [])];
    });
  }

  #limit({ rate_limit_info: { status, resetsAt } }: Line<"rate_limit_event">): void {
    const ends = status === "rejected" && resetsAt != null ? new Date(resetsAt * 1000) : null;
    this.#heard.limitEnds = ends && !Number.isNaN(ends.getTime()) ? ends.toISOString() : null;
  }

  #finished(result: ClaudeResult): AgentSaying[] {
    this.#result = result;
    this.#session ??= result.session_id ?? null;
    this.#error = errorOf(result, this.#heard);
    const rest = restOfTokens(totalTokens(result), this.#told.tokens);
    const usd = Math.max(0, (result.total_cost_usd ?? 0) - this.#told.usd);
    const message = this.#error?.message ?? result.result ?? "";
    return [...this.#count(rest, usd), { type: "finished", ok: this.#error === null, message }];
  }

  #count(tokens: TokenCount, usd: number | null): AgentSaying[] {
    if (isNothing(tokens) && !usd) return [];
    this.#told = { tokens: sumOfTokens(this.#told.tokens, tokens), usd: this.#told.usd + (usd ?? 0) };
    return [{ type: "usage", tokens, usd }];
  }
}

function raw(line: string): AgentSaying {
  return { type: "raw", stream: "stdout", line };
}
