import { setTimeout as sleep } from "node:timers/promises";
import { SandboxError, stateFolder } from "@opentiger/sandbox";
import { errno } from "@opentiger/schema";
import type { z } from "zod";
import { type SandboxdStatus, sandboxdProtocol, sandboxdStatus } from "../api.ts";
import { type SandboxdPaths, sandboxdPaths } from "../paths.ts";
import { type Call, call, follow } from "./http.ts";
import { startDaemon } from "./start.ts";

/** A loaded machine takes seconds to start node; one that takes longer will not. */
const startTimeoutMs = 15_000;
const retryMs = 15;

/** One that says nothing about itself for so long says nothing at all. */
const statusMs = 5_000;

type Question = Omit<Call, "socket">;

/** This user's sandboxd, as its clients see it. */
export class Sandboxd {
  readonly #env: NodeJS.ProcessEnv;
  #paths: SandboxdPaths | undefined;
  #starting: Promise<void> | undefined;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    this.#env = env;
  }

  /** Found out when it is first needed: whoever asks nothing of sandboxd needs no folder for it. */
  get paths(): SandboxdPaths {
    this.#paths ??= sandboxdPaths(stateFolder(this.#env));
    return this.#paths;
  }

  /** Asks, and starts the daemon where none runs. */
  async ask<T>(question: Question, shape: z.ZodType<T>): Promise<T> {
    try {
      return await this.#call(question, shape);
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
    await this.ensure();
    return this.#call(question, shape);
  }

  /** The lines of a stream. */
  async *follow<T>(question: Question, shape: z.ZodType<T>): AsyncGenerator<T> {
    await this.ensure();
    for await (const line of follow({ ...question, socket: this.paths.socket })) yield shape.parse(line);
  }

  /** undefined when none runs. */
  async status({ withinMs = statusMs } = {}): Promise<SandboxdStatus | undefined> {
    const signal = AbortSignal.timeout(withinMs);
    try {
      return await this.#call({ method: "GET", path: "/status", signal }, sandboxdStatus);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      if (!signal.aborted) throw error;
      throw new SandboxError("sandboxd_unavailable", "sandboxd does not answer", {
        remedy: `see ${this.paths.log}`,
        cause: error,
      });
    }
  }

  /** Says whether there was one to stop; returns when it is gone. */
  async stop(): Promise<boolean> {
    const running = await this.status();
    if (!running) return false;
    // It may end before its answer is out.
    await call({ socket: this.paths.socket, method: "POST", path: "/stop" }).catch(() => {});
    await until(async () => !isAlive(running.pid), "sandboxd does not stop", this.paths);
    return true;
  }

  /**
   * Returns when one runs that speaks our protocol, also when the one of a moment ago was killed. One of another version
   * is replaced: it holds nothing that is lost.
   */
  ensure(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    const running = await this.status();
    if (running?.protocol === sandboxdProtocol) return;
    if (running) await this.stop();
    startDaemon(this.paths, this.#env);
    await until(async () => (await this.status()) !== undefined, "sandboxd did not start", this.paths);
  }

  async #call<T>(question: Question, shape: z.ZodType<T>): Promise<T> {
    return shape.parse(await call({ ...question, socket: this.paths.socket }));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function isAbsent(error: unknown): boolean {
  const code = errno(error);
  // The last two: one that was killed with our question in its hands.
  return code === "ENOENT" || code === "ECONNREFUSED" || code === "ECONNRESET" || code === "EPIPE";
}

async function until(
  holds: () => Promise<boolean>,
  complaint: string,
  { log }: SandboxdPaths,
): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline)
      throw new SandboxError("sandboxd_unavailable", complaint, { remedy: `see ${log}` });
    await sleep(retryMs);
  }
}
