import { randomUUID } from "node:crypto";
import { type Duplex, Writable } from "node:stream";
import type { ExecExit, ExecInfo, SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import { SandboxError } from "../../../errors.ts";
import type { ExecOptions, Execution, OutputChunk } from "../../../sandbox.ts";
import { demultiplex } from "./demultiplex.ts";
import { killMarked, markerVariable } from "./marked-processes.ts";

/** Through a shell, which says in the usual way that a command is missing, and enters a folder as the agent. */
const enterAndRun = 'cd -- "$1" || exit 126; shift; exec "$@"';

/** A command started by the engine itself: the way of images that have no place for a supervisor. */
export class EngineExecution implements Execution {
  readonly id: string;
  /** The engine knows it in its own numbers only, which mean nothing inside. */
  readonly pid = 0;
  readonly stdin: Writable;
  readonly exit: Promise<ExecExit>;
  readonly info: ExecInfo;
  readonly #container: Docker.Container;
  readonly #user: string;
  readonly #wire: Duplex;
  #ended: ((exit: ExecExit) => void) | undefined;
  #failed: ((error: unknown) => void) | undefined;
  #reason: ExecExit["reason"] = "exited";
  #timer: NodeJS.Timeout | undefined;

  private constructor(
    container: Docker.Container,
    wire: Duplex,
    user: string,
    info: ExecInfo,
    stdin: Writable,
  ) {
    this.#container = container;
    this.#wire = wire;
    this.#user = user;
    this.info = info;
    this.id = info.id;
    this.stdin = stdin;
    this.exit = new Promise((resolve, reject) => {
      this.#ended = resolve;
      this.#failed = reject;
    });
    // Whoever cares awaits it; nobody else shall be ended by it.
    this.exit.catch(() => {});
  }

  static async start(
    container: Docker.Container,
    record: SandboxRecord,
    command: readonly string[],
    options: ExecOptions,
  ): Promise<EngineExecution> {
    const id = options.id ?? randomUUID();
    const user = options.user ?? `${record.user.uid}:${record.user.gid}`;
    const env = { HOME: record.user.home, ...record.env, ...options.env, [markerVariable]: id };
    const cwd = options.cwd ?? record.workspaces[0]?.path ?? "/";
    const exec = await container.exec({
      Cmd: ["/bin/sh", "-c", enterAndRun, "sh", cwd, ...command],
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      User: user,
      AttachStdin: options.stdin === true,
      AttachStdout: true,
      AttachStderr: true,
    });
    const wire = await exec.start({ hijack: true, stdin: true });
    const info: ExecInfo = {
      id,
      pid: 0,
      command: [...command],
      startedAt: new Date().toISOString(),
      exit: null,
      stdout: 0,
      stderr: 0,
    };
    const execution = new EngineExecution(container, wire, user, info, options.stdin ? wire : nowhere());
    if (options.timeoutMs !== undefined) execution.#limit(options.timeoutMs);
    if (options.detach) execution.#discardOutput();
    execution.#watch(exec);
    return execution;
  }

  async *output(): AsyncGenerator<OutputChunk> {
    try {
      for await (const { stream, data } of demultiplex(this.#wire)) {
        const offset = this.info[stream];
        this.info[stream] += data.length;
        yield { stream, offset, data };
      }
    } catch (cause) {
      throw new SandboxError("session_lost", "the engine's connection ended before the command did", {
        cause,
      });
    }
  }

  async kill(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.#reason === "exited") this.#reason = "killed";
    await killMarked(this.#container, this.#user, this.id, signal);
  }

  /** The engine stops nothing when nobody listens any more. */
  detach(): void {
    this.#wire.destroy();
  }

  #limit(timeoutMs: number): void {
    this.#timer = setTimeout(() => {
      this.#reason = "timeout";
      void killMarked(this.#container, this.#user, this.id, "SIGKILL").catch(() => {});
    }, timeoutMs);
  }

  #discardOutput(): void {
    this.#wire.resume();
  }

  #watch(exec: Docker.Exec): void {
    this.#wire.on("error", () => {});
    this.#wire.once("close", () => {
      clearTimeout(this.#timer);
      exec.inspect().then(
        ({ ExitCode, Running }) => this.#settle(Running ? null : ExitCode),
        (error: unknown) => this.#failed?.(error),
      );
    });
  }

  #settle(code: number | null): void {
    if (code === null) {
      this.#failed?.(
        new SandboxError("session_lost", "the engine let go of the command before its exit was known"),
      );
      return;
    }
    const exit: ExecExit = { code, signal: null, reason: this.#reason };
    this.info.exit = exit;
    this.#ended?.(exit);
  }
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
