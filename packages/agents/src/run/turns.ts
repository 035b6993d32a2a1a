import type { AgentEvent } from "@opentiger/schema";

/** Counts the turns of an agent whose CLI has no limit of its own: each answer of the model that calls tools is one. */
export class Turns {
  #count = 0;
  /** Calls that are made at once are one turn. */
  #calling = false;

  get count(): number {
    return this.#count;
  }

  hear({ type }: AgentEvent): void {
    if (type === "tool_call" && !this.#calling) this.#count += 1;
    if (type === "tool_call") this.#calling = true;
    if (type === "tool_result") this.#calling = false;
  }
}
