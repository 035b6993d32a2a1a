import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { stateFolder } from "@opentiger/sandbox";
import { stageRole } from "@opentiger/schema";
import { z } from "zod";
import { errno, OrchestratorError } from "../errors.ts";
import { type DispatcherPaths, dispatcherPaths } from "./dispatcher-paths.ts";
import { startTimeOf } from "./owner.ts";

export const dispatcherStatus = z.object({
  name: z.string(),
  version: z.string(),
  pid: z.number().int(),
  startedAt: z.iso.datetime(),
  roles: z.array(stageRole),
  /** Whether it has its database, and claims. */
  ready: z.boolean(),
  /** On how many stages it works. */
  working: z.number().int(),
});
export type DispatcherStatus = z.infer<typeof dispatcherStatus>;

/** A process that answers nothing for so long is asked again, or is not there. */
const answerMs = 5_000;

/** Who is told to stop lets go of its agents and closes the database. */
const stopMs = 20_000;
const lookMs = 20;

/** The dispatcher of an instance, or another process that claims, as others see it. */
export class DispatcherClient {
  readonly paths: DispatcherPaths;

  constructor(env: NodeJS.ProcessEnv = process.env, name?: string) {
    this.paths = dispatcherPaths(stateFolder(env), name);
  }

  /** undefined: none runs. */
  async status(): Promise<DispatcherStatus | undefined> {
    try {
      return dispatcherStatus.parse(JSON.parse(await this.#ask("GET", "/status")));
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
    await this.#ask("POST", drain ? "/drain" : "/stop").catch(() => {});
    const end = performance.now() + stopMs;
    while (startTimeOf(running.pid) === started && started !== undefined) {
      signal?.throwIfAborted();
      if (!drain && performance.now() > end) throw staysThere(running, this.paths);
      await sleep(lookMs);
    }
    return true;
  }

  #ask(method: "GET" | "POST", path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const asked = request({ socketPath: this.paths.socket, method, path, timeout: answerMs });
      asked.once("error", reject);
      asked.once("timeout", () => asked.destroy(new Error("the dispatcher does not answer")));
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
}

function isAbsent(error: unknown): boolean {
  // The last two: one that was killed with our question in its hands.
  return ["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(errno(error) ?? "");
}

function staysThere({ name, pid }: DispatcherStatus, { log }: DispatcherPaths): OrchestratorError {
  return new OrchestratorError("internal", `${name} (process ${pid}) does not stop`, {
    remedy: `see ${log}`,
  });
}
