import { type AgentSaying, noTokens, sumOfTokens, type TokenCount } from "@opentiger/schema";
import type { AgentEnding, AgentError, AgentReader, AgentTask } from "../driver.ts";
import { denialOf } from "./denials.ts";
import { eventIn, type OpenCodeEvent, type StepTokens, type ToolPart } from "./events.ts";
import { errorOf, tooLong } from "./failures.ts";
import { modelName } from "./model.ts";
import { sayingsOf } from "./tools.ts";

/** An agent that is denied more calls than this is denied the same ones again; the first of them say enough. */
const keptDenials = 100;

/** Reasons for the end of a step after which there is more: another step, or after the last of them an error event. */
const goesOn = new Set(["tool-calls", "unknown", "content-filter"]);

/** An answer without a word or a call is asked for anew, at once and for ever. */
const mostEmptySteps = 5;

type StepEnd = Extract<OpenCodeEvent, { type: "step_finish" }>["part"];

/** Reads `opencode run --format json`. */
export class OpenCodeReader implements AgentReader {
  readonly #task: AgentTask;
  readonly #denials: string[] = [];
  #session: string | null = null;
  #complete = false;
  #error: AgentError | null = null;
  #lastText: string | null = null;
  #tokens: TokenCount | null = null;
  #usd: number | null = null;
  #steps = 0;
  #emptySteps = 0;
  /** Steps in which tools were used. */
  #turns = 0;
  #usesTools = false;
  /** Whether it told of an error that it got over. */
  #recovered = false;

  constructor(task: AgentTask) {
    this.#task = task;
  }

  line(line: string): AgentSaying[] {
    const event = eventIn(line);
    if (!event) return [{ type: "raw", stream: "stdout", line }];
    return [...this.#begun(event), ...this.#read(event)];
  }

  /** Each step is one answer of the model; one that uses no tool is the last. */
  tooMuch(): { type: "max_turns" | "overloaded"; message: string } | undefined {
    const { maxTurns = Number.POSITIVE_INFINITY } = this.#task;
    if (this.#turns > maxTurns) return { type: "max_turns", message: `it had ${maxTurns}` };
    if (this.#emptySteps < mostEmptySteps) return undefined;
    return { type: "overloaded", message: `${this.#emptySteps} answers in a row were empty` };
  }

  ending(): AgentEnding {
    return {
      complete: this.#complete,
      session: this.#session,
      error: this.#error,
      answer: undefined,
      lastText: this.#lastText,
      denials: this.#denials,
      tokens: this.#tokens,
      usd: this.#usd,
      turns: this.#steps,
      recovered: this.#recovered,
    };
  }

  /** Every event has the session's id; the first one tells it. */
  #begun({ sessionID }: OpenCodeEvent): AgentSaying[] {
    if (this.#session !== null) return [];
    this.#session = sessionID;
    const { session, model } = this.#task;
    return [
      {
        type: "started",
        session: sessionID,
        model: model === undefined ? null : modelName(model).whole,
        resumed: session.kind === "resumed" && session.id === sessionID,
      },
    ];
  }

  #read(event: OpenCodeEvent): AgentSaying[] {
    switch (event.type) {
      case "step_start":
        this.#complete = false;
        this.#usesTools = false;
        return [];
      case "reasoning":
        return [{ type: "thinking", text: event.part.text }];
      case "text":
        return event.part.synthetic ? [] : this.#said(event.part.text);
      case "tool_use":
        return this.#used(event.part);
      case "step_finish":
        return this.#stepped(event.part);
      case "error":
        return this.#failed(errorOf(event.error, event.timestamp));
    }
  }

  #said(text: string): AgentSaying[] {
    this.#emptySteps = 0;
    this.#lastText = text;
    return [{ type: "text", text }];
  }

  #used(part: ToolPart): AgentSaying[] {
    this.#emptySteps = 0;
    if (!this.#usesTools) this.#turns += 1;
    this.#usesTools = true;
    const denial = denialOf(part, this.#task.permissions);
    if (denial !== undefined && this.#denials.length < keptDenials) this.#denials.push(denial);
    return sayingsOf(part);
  }

  /** An error before a good end is one that it got over; its exit status speaks of that one all the same. */
  #stepped({ reason, tokens, cost }: StepEnd): AgentSaying[] {
    const used = countOf(tokens);
    const isEmpty = used.output === 0 && reason === "unknown";
    this.#emptySteps = isEmpty ? this.#emptySteps + 1 : 0;
    this.#steps += 1;
    this.#tokens = sumOfTokens(this.#tokens ?? noTokens, used);
    // It has no price for a model of which it knows nothing but the name.
    const usd = cost > 0 ? cost : null;
    if (usd !== null) this.#usd = (this.#usd ?? 0) + usd;
    const usage: AgentSaying = { type: "usage", tokens: used, usd };
    if (goesOn.has(reason)) return [usage];
    this.#complete = true;
    this.#recovered ||= this.#error !== null;
    this.#error = reason === "length" ? tooLong : null;
    const message = this.#error?.message ?? this.#lastText ?? "";
    return [usage, { type: "finished", ok: this.#error === null, message }];
  }

  /** An error may be told twice. */
  #failed(error: AgentError): AgentSaying[] {
    const isNews = !this.#complete;
    this.#complete = true;
    this.#error = error;
    return isNews ? [{ type: "finished", ok: false, message: error.message }] : [];
  }
}

function countOf({ input, output, reasoning, cache }: StepTokens): TokenCount {
  return { input, output: output + reasoning, cacheRead: cache.read, cacheWrite: cache.write };
}
