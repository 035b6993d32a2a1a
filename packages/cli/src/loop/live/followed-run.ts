import { eventsFile, type Place, type RunRow } from "@opentiger/orchestrator";
import type { AgentEvent, Role } from "@opentiger/schema";
import { printable } from "../../output/table.ts";
import { EventTail } from "../event-tail.ts";

/** A run that goes on, as far as is known by now. */
export interface LiveRun {
  role: Role;
  agent: string;
  startedAt: Date;
  /** What its agent is doing, in a few words. */
  doing: string;
  tokens: number;
  usd: number | null;
}

/** Reads on in what the agent of a run does and says. */
export class FollowedRun {
  readonly #tail: EventTail;
  readonly #run: RunRow;
  #doing = "starts";
  #tokens = 0;
  #usd: number | null = null;

  constructor(place: Pick<Place, "folder">, run: RunRow) {
    this.#run = run;
    this.#tail = new EventTail(eventsFile(place, run));
  }

  async read(): Promise<void> {
    for (const event of await this.#tail.read()) this.#take(event);
  }

  get live(): LiveRun {
    const { role, agent, startedAt } = this.#run;
    return { role, agent, startedAt, doing: this.#doing, tokens: this.#tokens, usd: this.#usd };
  }

  #take(event: AgentEvent): void {
    switch (event.type) {
      case "tool_call":
        this.#doing = oneLine(`${event.tool} ${event.summary}`);
        break;
      case "started":
      case "tool_result":
      case "thinking":
        this.#doing = "thinks";
        break;
      case "text":
        this.#doing = oneLine(event.text);
        break;
      case "message":
        this.#doing = oneLine(`hears: ${event.text}`);
        break;
      case "finished":
        this.#doing = "its work is collected";
        break;
      case "usage": {
        const { tokens, usd } = event;
        this.#tokens += Object.values(tokens).reduce((sum, part) => sum + part, 0);
        if (usd !== null) this.#usd = (this.#usd ?? 0) + usd;
        break;
      }
      case "file_change":
      case "raw":
        break;
    }
  }
}

function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, " ").trim());
}
