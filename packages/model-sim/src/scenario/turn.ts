import type { ModelRequest } from "../conversation/model-request.ts";
import { structuredOutput, type Toolbox } from "../tools/toolbox.ts";
import { sampleOf } from "./answer-sample.ts";
import { callId } from "./call-id.ts";
import { type Progress, progressOf } from "./progress.ts";
import type { Failure, Part, Reply, ToolCall } from "./reply.ts";
import type { Scenario } from "./scenario.ts";
import { type Action, isAction, isTrouble, type Step, type StepOf, type Trouble } from "./step.ts";
import { tokensOf } from "./token-count.ts";

/** What a request gets. */
export type Turn = { kind: "reply"; reply: Reply } | { kind: "failure"; failure: Failure };

export interface TurnOutcome {
  turn: Turn;
  /** The step that decided it; undefined where none did. */
  step: number | undefined;
  /** Held back so long before the first byte; Infinity: until the client leaves. */
  holdMs: number;
  problems: readonly string[];
}

export interface TurnInput {
  session: string;
  scenario: Scenario;
  request: ModelRequest;
  toolbox: Toolbox;
  /** Where the scenario stood when this conversation began; not at its start after a CLI has made it shorter. */
  from: number;
  /** Whether the trouble at this step is to be met now; each true counts. */
  meets(step: number, trouble: Trouble): boolean;
}

/** What the scenario has for this request. */
export function nextTurn(input: TurnInput): TurnOutcome {
  return new Collecting(input).collect();
}

const overText = "The scenario is over.";
const cutText = "I was just about to say";

class Collecting {
  readonly #input: TurnInput;
  readonly #progress: Progress;
  readonly #parts: Part[] = [];
  readonly #problems: string[] = [];
  #holdMs = 0;

  constructor(input: TurnInput) {
    this.#input = input;
    this.#progress = progressOf(input.scenario, input.request.items, input.from);
  }

  collect(): TurnOutcome {
    const { steps } = this.#input.scenario;
    const { step: begin } = this.#progress;
    const over = begin >= steps.length;
    for (let index = begin; index < steps.length; index += 1) {
      const step = steps[index];
      const outcome = step && this.#take(step, index);
      if (outcome) return outcome;
    }
    const silent = !this.#parts.some(({ kind }) => kind === "text");
    if (over) this.#problems.push("the model was asked after the end of its scenario");
    if (silent) this.#parts.push({ kind: "text", text: over ? overText : "Done." });
    return this.#reply(steps.length, "end");
  }

  /** undefined where the reply goes on with the next step. */
  #take(step: Step, index: number): TurnOutcome | undefined {
    if (isAction(step)) return this.#act(step, index);
    if (isTrouble(step)) return this.#input.meets(index, step) ? this.#trouble(step, index) : undefined;
    switch (step.do) {
      case "say":
        this.#parts.push({ kind: "text", text: step.text });
        return undefined;
      case "think":
        this.#parts.push({ kind: "thinking", text: step.text, ms: step.ms });
        return undefined;
      case "pause":
        this.#parts.push({ kind: "wait", ms: step.ms });
        return undefined;
      case "answer":
        return this.#answer(step, index);
      case "finish":
      case "proseInsteadOfAnswer":
        this.#parts.push({ kind: "text", text: step.text });
        return this.#reply(index, "end");
    }
  }

  #act(step: Action, index: number) {
    const calls = index === this.#progress.step ? this.#progress.calls : [];
    const next = this.#input.toolbox.next(step, calls);
    if (next === undefined) return undefined;
    if ("problem" in next) {
      this.#problems.push(next.problem);
      return undefined;
    }
    return this.#call(
      { ...next, id: callId(this.#input.session, { step: index, call: calls.length }) },
      index,
    );
  }

  #call(call: ToolCall, index: number): TurnOutcome {
    this.#parts.push({ kind: "call", call });
    return this.#reply(index, "tool");
  }

  /** By the tool that stands for the form, or as text. A tool's result is the end of the turn. */
  #answer(step: StepOf<"answer">, index: number): TurnOutcome | undefined {
    const { request, session } = this.#input;
    if (index === this.#progress.step && this.#progress.calls.length > 0) {
      if (request.items.at(-1)?.kind === "user") return undefined;
      this.#parts.push({ kind: "text", text: "Done." });
      return this.#reply(index, "end");
    }
    const tool = structuredOutput(request.tools);
    const value = step.value === undefined ? sampleOf(tool?.schema ?? request.schema ?? {}) : step.value;
    if (!tool) {
      this.#parts.push({ kind: "text", text: JSON.stringify(value) });
      return this.#reply(index, "end");
    }
    const id = callId(session, { step: index, call: 0 });
    // The scenario's author gives what the schema of such a tool takes, which is always an object.
    const input = value as Record<string, unknown>;
    return this.#call({ id, name: tool.name, namespace: tool.namespace, input }, index);
  }

  #trouble(trouble: Trouble, index: number): TurnOutcome | undefined {
    switch (trouble.do) {
      case "silence":
        this.#holdMs += trouble.ms ?? Number.POSITIVE_INFINITY;
        return undefined;
      case "cutStream":
        // There is always something that is not said to its end.
        if (this.#parts.at(-1)?.kind !== "text") this.#parts.push({ kind: "text", text: cutText });
        return this.#reply(index, "end", "cut");
      case "garbage":
        return this.#reply(index, "end", "garbage");
      case "refusal":
        this.#parts.push({ kind: "refusal", text: trouble.text });
        return this.#reply(index, "refusal");
      case "rateLimit":
        return this.#fail(index, { kind: "rateLimit", resetSeconds: trouble.resetSeconds });
      default:
        return this.#fail(index, { kind: trouble.do });
    }
  }

  #reply(step: number, stop: Reply["stop"], ending: Reply["ending"] = "whole"): TurnOutcome {
    const { scenario, request } = this.#input;
    const tokens = scenario.tokens ?? tokensOf(request.items, this.#parts);
    const reply = { parts: this.#parts, stop, ending, tokens };
    return { turn: { kind: "reply", reply }, step, holdMs: this.#holdMs, problems: this.#problems };
  }

  #fail(step: number, failure: Failure): TurnOutcome {
    return { turn: { kind: "failure", failure }, step, holdMs: this.#holdMs, problems: this.#problems };
  }
}
