import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { constants } from "node:os";
import { RefusedError } from "./refusals.ts";
import { SpawnerChannel } from "./spawner-channel.ts";
import {
  type Answer,
  encodeKill,
  encodePipe,
  encodeSpawn,
  encodeStrings,
  noPipe,
  type SpawnRequest,
  spawnerVersion,
} from "./spawner-messages.ts";
import { type MadePipe, PipeStock } from "./spawner-pipes.ts";
import type { Ended, Started } from "./started.ts";

/** It answers within a millisecond; one that does not is none of ours. */
const greetingTimeoutMs = 2_000;

/**
 * The small process that forks commands for us: see native/spawner.c. It has our rights, hears nobody else, and ends
 * when we do. Should it end before, `isOpen` is false and commands are started without it.
 */
export class Spawner {
  readonly #pid: number;
  readonly #channel: SpawnerChannel;
  readonly #pipes = new PipeStock(() => this.#makePipe());
  readonly #running = new Map<number, { resolve(how: Ended): void; reject(error: Error): void }>();

  private constructor(pid: number, socket: Socket) {
    this.#pid = pid;
    this.#channel = new SpawnerChannel(
      socket,
      (answer) => this.#ended(answer),
      () => this.#lost(),
    );
  }

  /** Resolves when it can start commands; undefined where the file is not one of our version, or does not work here. */
  static async start(file: string): Promise<Spawner | undefined> {
    const child = spawn(file, [], {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      env: {},
      cwd: "/",
      detached: true,
    });
    child.on("error", () => {});
    if (child.pid === undefined) return undefined;
    // A socket, since it was asked to be a pipe; Node's type does not say so.
    const spawner = new Spawner(child.pid, child.stdio[3] as Socket);
    const timer = setTimeout(() => spawner.#channel.close(), greetingTimeoutMs);
    try {
      if ((await spawner.#channel.greeting()).id !== spawnerVersion) throw new Error("of another version");
      await spawner.#pipes.fill();
      return spawner;
    } catch {
      spawner.#channel.close();
      child.kill("SIGKILL");
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  get isOpen(): boolean {
    return this.#channel.isOpen;
  }

  async spawn(request: SpawnRequest, wanted: { stdin: boolean; output: boolean }): Promise<Started> {
    const strings = encodeStrings(request);
    if (!strings) throw new RefusedError("usage", "no process can have such arguments or environment");
    const output = wanted.output ? "read" : null;
    const ends = await this.#pipes.take([wanted.stdin ? "write" : null, output, output]);
    const [stdin = null, stdout = null, stderr = null] = ends.map((end) => end?.stream ?? null);
    const numbers = ends.map((end) => end?.number ?? noPipe);
    try {
      const { pid, ended } = await this.#channel.ask(
        (id) => encodeSpawn(id, request, numbers, strings),
        ({ first }) => this.#started(first),
      );
      return { pid, ended, stdin, stdout, stderr, kill: (signal) => this.#kill(pid, signal) };
    } catch (error) {
      for (const stream of [stdin, stdout, stderr]) stream?.destroy();
      throw error;
    } finally {
      // When the command's start has been told. A failure is met again, and told, by the next one that needs a pipe.
      setImmediate(() => this.#pipes.fill().catch(() => {}));
    }
  }

  #started(pid: number): { pid: number; ended: Promise<Ended> } {
    const ended = new Promise<Ended>((resolve, reject) => {
      this.#running.set(pid, { resolve, reject });
    });
    ended.catch(() => {});
    return { pid, ended };
  }

  #kill(pid: number, signal: NodeJS.Signals): void {
    if (this.#running.has(pid)) this.#channel.tell(encodeKill(pid, constants.signals[signal]));
  }

  #ended({ id: pid, first: code, second: signal }: Answer): void {
    const how = signal === 0 ? { code, signal: null } : { code: null, signal: signalName(signal) };
    this.#running.get(pid)?.resolve(how);
    this.#running.delete(pid);
  }

  #lost(): void {
    for (const { reject } of this.#running.values()) reject(new Error("the spawner ended"));
    this.#running.clear();
    this.#pipes.drop();
  }

  #makePipe(): Promise<MadePipe> {
    return this.#channel.ask(encodePipe, ({ id: number, first, second }) => ({
      number,
      read: `/proc/${this.#pid}/fd/${first}`,
      write: `/proc/${this.#pid}/fd/${second}`,
    }));
  }
}

/** A real-time signal has no name in Node: told as what it is, an end by force. */
function signalName(number: number): NodeJS.Signals {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return (found?.[0] as NodeJS.Signals | undefined) ?? "SIGKILL";
}
