import type { CallItem, Item, ResultItem } from "../conversation/item.ts";
import { placeOf } from "./call-id.ts";
import type { Scenario } from "./scenario.ts";
import type { Step } from "./step.ts";

/** How far a conversation has come. */
export interface Progress {
  /** The step to go on with; that of the last tool call, if its calls may not be all. */
  step: number;
  /** The calls that were made for this step so far. */
  calls: readonly DoneCall[];
}

export interface DoneCall {
  call: CallItem;
  result: ResultItem | undefined;
}

/**
 * Reads off the conversation how far its scenario has come. Tool calls tell their step; the end of a turn is known by
 * its words, so that half a reply, or one that the CLI made up, is taken for none.
 */
export function progressOf(scenario: Scenario, items: readonly Item[], from = 0): Progress {
  const reading = new Reading(scenario, from);
  for (const item of items) reading.take(item);
  return reading.progress;
}

class Reading {
  readonly #scenario: Scenario;
  #step: number;
  #calls: { call: CallItem; result: ResultItem | undefined }[] = [];
  /** In words, since the last call or prompt. */
  #said: string[] = [];

  constructor(scenario: Scenario, from: number) {
    this.#scenario = scenario;
    this.#step = from;
  }

  get progress(): Progress {
    return { step: this.#step, calls: this.#calls };
  }

  take(item: Item): void {
    switch (item.kind) {
      case "assistant":
        this.#said.push(item.text);
        return;
      case "call":
        return this.#call(item);
      case "result": {
        const made = this.#calls.find(({ call }) => call.id === item.id);
        if (made) made.result = item;
        return;
      }
      case "user":
        return this.#prompt();
    }
  }

  #call(call: CallItem): void {
    const place = placeOf(call.id);
    this.#said = [];
    if (!place) return;
    if (place.step !== this.#step) this.#calls = [];
    this.#step = place.step;
    this.#calls.push({ call, result: undefined });
  }

  /** What was said before a prompt was the end of a turn, if it is what the scenario has there. */
  #prompt(): void {
    if (this.#said.length === 0) return;
    const begin = this.#calls.length > 0 ? this.#step + 1 : this.#step;
    const end = turnEnd(this.#scenario, begin);
    if (isSaidBy(this.#scenario.steps.slice(begin, end), this.#said)) {
      this.#step = end;
      this.#calls = [];
    }
    this.#said = [];
  }
}

/** The steps of a turn end with what finishes it, or with the scenario. */
function turnEnd({ steps }: Scenario, begin: number): number {
  const index = steps.findIndex((step, at) => at >= begin && endsTurn(step));
  return index === -1 ? steps.length : index + 1;
}

function endsTurn(step: Step): boolean {
  return step.do === "finish" || step.do === "answer" || step.do === "proseInsteadOfAnswer";
}

/** White space is not compared: CLIs trim. */
function isSaidBy(steps: readonly Step[], said: readonly string[]): boolean {
  const told = bare(said.join(""));
  const scripted = bare(steps.map(wordsOf).join(""));
  const last = steps.at(-1);
  if (last?.do !== "answer" || last.value !== undefined) return told === scripted;
  // This one was made from the schema that was asked for.
  return told.startsWith(scripted) && isJson(told.slice(scripted.length));
}

function wordsOf(step: Step): string {
  if (step.do === "say" || step.do === "finish" || step.do === "proseInsteadOfAnswer") return step.text;
  return step.do === "answer" && step.value !== undefined ? JSON.stringify(step.value) : "";
}

function bare(text: string): string {
  return text.replaceAll(/\s+/g, "");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
