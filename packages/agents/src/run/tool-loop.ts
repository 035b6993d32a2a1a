import { createHash } from "node:crypto";
import type { AgentEvent } from "@opentiger/schema";

/** Calls whose result is awaited: a CLI makes a few at once, and forgets none. */
const mostOpen = 256;

/** Notices an agent that makes the same tool call with the same result again and again; ids do not count. */
export class ToolLoop {
  readonly #limit: number;
  readonly #open = new Map<string, { tool: string; key: string }>();
  #last: { tool: string; key: string } | undefined;
  #times = 0;
  #lastWorked: boolean | null = null;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether the last tool call that has a result worked; null where there was none. */
  get lastWorked(): boolean | null {
    return this.#lastWorked;
  }

  hear(event: AgentEvent): void {
    if (event.type === "tool_call") this.#begin(event.id, event.tool, event.input);
    if (event.type !== "tool_result") return;
    this.#lastWorked = event.ok;
    const call = this.#open.get(event.id);
    this.#open.delete(event.id);
    if (!call) return;
    const key = digest([call.key, String(event.ok), String(event.exitCode), event.output]);
    this.#times = this.#last?.key === key ? this.#times + 1 : 1;
    this.#last = { tool: call.tool, key };
  }

  /** What is repeated, once it was too often. */
  get found(): { tool: string; times: number } | undefined {
    return this.#last && this.#times >= this.#limit
      ? { tool: this.#last.tool, times: this.#times }
      : undefined;
  }

  #begin(id: string, tool: string, input: string): void {
    for (const oldest of this.#open.keys()) {
      if (this.#open.size < mostOpen) break;
      this.#open.delete(oldest);
    }
    this.#open.set(id, { tool, key: digest([tool, input]) });
  }
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64");
}
