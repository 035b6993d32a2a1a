import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { startTimeOf } from "@opentiger/sandbox";
import { errno } from "@opentiger/schema";
import { z } from "zod";
import { OrchestratorError } from "../errors.ts";

/** What every process of an instance says of itself. */
export const processStatus = z.object({
  version: z.string(),
  pid: z.number().int(),
  startedAt: z.iso.datetime(),
  /** Whether it does what it is there for. */
  ready: z.boolean(),
});
export type ProcessStatus = z.infer<typeof processStatus>;

export interface KnownProcess<Status extends ProcessStatus> {
  /** How people call it. */
  name: string;
  /** Whoever has it is the one, so that what a killed process leaves behind says nothing. */
  socket: string;
  log: string;
  shape: z.ZodType<Status>;
}

/** A process that answers nothing for so long is asked again, or is not there. */
const answerMs = 5_000;

/** Who is told to stop lets go of what it holds and closes the database. */
const stopMs = 20_000;
const lookMs = 20;

/** A process of an instance that is nobody's child, as others see it: by the socket on which it answers. */
export class ProcessClient<Status extends ProcessStatus> {
  readonly #known: KnownProcess<Status>;

  constructor(known: KnownProcess<Status>) {
    this.#known = known;
  }

  /** undefined: none runs. */
  async status(): Promise<Status | undefined> {
    return this.ask("GET", "/status", this.#known.shape);
  }

  /** undefined: none runs. */
  async ask<T>(method: "GET" | "POST", path: string, shape: z.ZodType<T>): Promise<T | undefined> {
    try {
      return shape.parse(JSON.parse(await this.#send(method, path)));
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  /** Says whether there was one to stop; returns when it is gone. With `drain` it first ends what it works on, however long. */
  async stop({ drain = false, signal }: { drain?: boolean; signal?: AbortSignal } = {}): Promise<boolean> {
    const running = await this.status();
    if (!running) return false;
    const started = startTimeOf(running.pid);
    // It may end before its answer is out.
    await this.#send("POST", drain ? "/drain" : "/stop").catch(() => {});
    const end = performance.now() + stopMs;
    while (startTimeOf(running.pid) === started && started !== undefined) {
      signal?.throwIfAborted();
      if (!drain && performance.now() > end) throw this.#staysThere(running.pid);
      await sleep(lookMs);
    }
    return true;
  }

  #send(method: "GET" | "POST", path: string): Promise<string> {
    const { socket } = this.#known;
    return new Promise((resolve, reject) => {
      const asked = request({ socketPath: socket, method, path, timeout: answerMs });
      asked.once("error", reject);
      asked.once("timeout", () => asked.destroy(this.#saysNothing()));
      asked.once("response", (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (part: string) => {
          text += part;
        });
        answer.once("end", () => resolve(text));
        answer.once("error", reject);
      });
      asked.end();
    });
  }

  #saysNothing(): OrchestratorError {
    const { name, log } = this.#known;
    return new OrchestratorError("internal", `the ${name} does not answer`, {
      remedy: `it may be stopped (SIGCONT lets it go on) or busy: see ${log}`,
    });
  }

  #staysThere(pid: number): OrchestratorError {
    const { name, log } = this.#known;
    return new OrchestratorError("internal", `the ${name} (process ${pid}) does not stop`, {
      remedy: `see ${log}`,
    });
  }
}

function isAbsent(error: unknown): boolean {
  // The last two: one that was killed with our question in its hands.
  return ["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(errno(error) ?? "");
}
