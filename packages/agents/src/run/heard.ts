import type { AgentEvent } from "@opentiger/schema";
import type { AgentDriver, AgentTask, SessionRequest } from "../driver.ts";
import type { Stop } from "../outcome/classify.ts";
import { ToolLoop } from "./tool-loop.ts";
import { Turns } from "./turns.ts";

/** Enough of stderr to say what a CLI died of. */
const keptStderrLines = 3;

export interface HeardParts {
  driver: AgentDriver;
  task: AgentTask;
  session: SessionRequest;
  toolLoopRepeats: number;
}

/** What is to be remembered of a run's events: its session, its last words on stderr, and whether it goes too far. */
export class Heard {
  readonly #toolLoop: ToolLoop;
  readonly #turns = new Turns();
  readonly #mostTurns: number;
  readonly #stderr: string[] = [];
  #session: string | null;
  #resumed: boolean | null = null;

  constructor({ driver, task, session, toolLoopRepeats }: HeardParts) {
    this.#toolLoop = new ToolLoop(toolLoopRepeats);
    this.#session = session.kind === "resumed" ? session.id : null;
    // A CLI that keeps to the limit by itself knows better what a turn is.
    this.#mostTurns = driver.abilities.maxTurns
      ? Number.POSITIVE_INFINITY
      : (task.maxTurns ?? Number.POSITIVE_INFINITY);
  }

  /** By which it can be resumed; null while nobody knows. */
  get session(): string | null {
    return this.#session;
  }

  /** Whether the CLI says that it goes on with an earlier conversation; null while it says nothing. */
  get resumed(): boolean | null {
    return this.#resumed;
  }

  get stderr(): string {
    return this.#stderr.join("; ");
  }

  get lastToolWorked(): boolean | null {
    return this.#toolLoop.lastWorked;
  }

  hear(event: AgentEvent): void {
    this.#toolLoop.hear(event);
    this.#turns.hear(event);
    if (event.type === "started") {
      this.#session = event.session ?? this.#session;
      this.#resumed = event.resumed;
    }
    if (event.type !== "raw" || event.stream !== "stderr") return;
    this.#stderr.push(event.line);
    if (this.#stderr.length > keptStderrLines) this.#stderr.shift();
  }

  /** Why it must be ended, once it must. */
  get tooMuch(): Stop | undefined {
    const loop = this.#toolLoop.found;
    if (loop) {
      const message = `${loop.tool} was called ${loop.times} times in a row with the same result`;
      return { type: "tool_loop", message };
    }
    if (this.#turns.count <= this.#mostTurns) return undefined;
    return { type: "max_turns", message: `it had ${this.#mostTurns}` };
  }
}
