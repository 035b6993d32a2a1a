import type { Duplex } from "node:stream";
import {
  type AttachSpec,
  attachSpec,
  connectRequest,
  type DoorsRequest,
  doorsRequest,
  type ExecInfo,
  type ExecSpec,
  execInfo,
  execSpec,
  type HelloAnswer,
  type HelloRequest,
  helloAnswer,
  isErrorCode,
  type PrepareRequest,
  protocolVersion,
  refusal,
  type SandboxMount,
  type SandboxStats,
  type SelfTestRequest,
  type SignalRequest,
  sandboxMount,
  sandboxStats,
  selfTestRequest,
  type TerminalReservation,
  terminalReservation,
} from "@opentiger/schema";
import { z } from "zod";
import { SandboxError } from "../errors.ts";
import type { Execution } from "../sandbox.ts";
import { dialledWire } from "./dialled-wire.ts";
import { openExecution } from "./execution.ts";
import { http2Wire } from "./http2-wire.ts";
import type { Wire } from "./wire.ts";

/** One session with a supervisor, over any carrier. Everything that comes out of it is checked. */
export class Session {
  readonly hello: HelloAnswer;
  readonly closed: Promise<void>;
  readonly #wire: Wire;

  private constructor(wire: Wire, hello: HelloAnswer) {
    this.#wire = wire;
    this.hello = hello;
    this.closed = wire.closed;
  }

  /** Says hello, so that a session that was opened is one that works. */
  static async open(wire: Wire, request: HelloRequest): Promise<Session> {
    try {
      const hello = await ask(wire, "/hello", request, helloAnswer);
      if (hello.protocol !== protocolVersion) throw versionMismatch(hello.protocol);
      return new Session(wire, hello);
    } catch (error) {
      wire.close();
      throw error;
    }
  }

  async exec(spec: ExecSpec): Promise<Execution> {
    return this.#open({ open: execSpec.parse(spec) });
  }

  async attach(spec: AttachSpec): Promise<Execution> {
    return this.#open({ attach: attachSpec.parse(spec) });
  }

  async prepare(request: PrepareRequest): Promise<void> {
    await ask(this.#wire, "/prepare", request, z.unknown());
  }

  async signal(request: SignalRequest): Promise<void> {
    await ask(this.#wire, "/signal", request, z.unknown());
  }

  async execs(): Promise<ExecInfo[]> {
    return ask(this.#wire, "/execs", {}, z.array(execInfo));
  }

  async stats(): Promise<SandboxStats> {
    return ask(this.#wire, "/stats", {}, sandboxStats);
  }

  async mounts(): Promise<SandboxMount[]> {
    return ask(this.#wire, "/mounts", {}, z.array(sandboxMount));
  }

  /** A TCP connection to a port of the sandbox's loopback; each direction ends by itself. */
  async connectInside(port: number): Promise<Duplex> {
    const connected = await this.#wire.connect(connectRequest.parse({ port }).port);
    if (connected.ok) return connected.stream;
    throw refused(JSON.parse(connected.text));
  }

  /** Which ports of the host host.docker.internal has from now on. */
  async setDoors(request: DoorsRequest): Promise<void> {
    await ask(this.#wire, "/doors", doorsRequest.parse(request), z.unknown());
  }

  /** Rejects with `sandbox_broken` unless the guard of this sandbox does what it is there for. */
  async selfTest(request: SelfTestRequest = { of: "denial" }): Promise<void> {
    await ask(this.#wire, "/self-test", selfTestRequest.parse(request), z.unknown());
  }

  /** What to put in front of a command that the Engine starts on a terminal. */
  async reserveTerminal(request: { id: string; user?: string }): Promise<TerminalReservation> {
    return ask(this.#wire, "/terminal", request, terminalReservation);
  }

  get isOpen(): boolean {
    return this.#wire.isOpen;
  }

  async close(): Promise<void> {
    this.#wire.close();
    await this.closed;
  }

  async #open(first: { open: ExecSpec } | { attach: AttachSpec }): Promise<Execution> {
    try {
      return this.#answered(await openExecution(await this.#wire.stream(), first));
    } finally {
      this.#wire.ahead();
    }
  }

  /**
   * Signals go as a question of their own, which is answered when they were sent: on the exec's stream one could be
   * lost when the session is closed right after, and a finished exec has no stream any more.
   */
  #answered(execution: Execution): Execution {
    return { ...execution, kill: (signal = "SIGKILL") => this.signal({ id: execution.id, signal }) };
  }
}

/** Over a byte stream of any kind. */
export function openSession(stream: Duplex, request: HelloRequest): Promise<Session> {
  return Session.open(http2Wire(stream), request);
}

/** Through a folder that is shared with the sandbox. */
export async function openDialledSession(
  folder: string,
  request: HelloRequest,
  options: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<Session> {
  return Session.open(await dialledWire(folder, options), request);
}

async function ask<T>(wire: Wire, path: string, body: unknown, shape: z.ZodType<T>): Promise<T> {
  const { ok, text } = await wire.ask(path, JSON.stringify(body));
  const value: unknown = text === "" ? {} : JSON.parse(text);
  if (ok) return shape.parse(value);
  throw refused(value);
}

function refused(value: unknown): SandboxError {
  const { code, message } = refusal.parse(value);
  // An unknown code of a newer supervisor is still an error, only a less precise one.
  return new SandboxError(isErrorCode(code) ? code : "internal", message);
}

function versionMismatch(protocol: number): SandboxError {
  return new SandboxError(
    "sandbox_broken",
    `the sandbox was started by another version of openTiger (protocol ${protocol}, wanted ${protocolVersion})`,
    { remedy: "stop it and start it again: the supervisor is replaced at start" },
  );
}
