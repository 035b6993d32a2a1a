import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import type { Duplex } from "node:stream";
import {
  type AttachSpec,
  attachSpec,
  type ErrorCode,
  type ExecInfo,
  type ExecSpec,
  execInfo,
  execSpec,
  type HelloAnswer,
  type HelloRequest,
  helloAnswer,
  type PrepareRequest,
  protocolVersion,
  refusal,
  type SandboxMount,
  type SandboxStats,
  type SignalRequest,
  sandboxMount,
  sandboxStats,
  type TerminalReservation,
  terminalReservation,
} from "@opentiger/schema";
import { z } from "zod";
import { SandboxError } from "../errors.ts";
import { sessionWindow, streamWindow } from "../protocol/windows.ts";
import type { Execution } from "../sandbox.ts";
import { openExecution } from "./execution.ts";

/** The answers are small; a sandbox that sends more is not speaking our protocol. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** A supervisor that prepares a slow disk may take a while; one that never answers must not hang us. */
const answerTimeoutMs = 30_000;

/** One session with a supervisor, over any carrier. Everything that comes out of it is checked. */
export class Session {
  readonly hello: HelloAnswer;
  readonly closed: Promise<void>;
  readonly #http: ClientHttp2Session;
  readonly #stream: Duplex;

  private constructor(http: ClientHttp2Session, stream: Duplex, hello: HelloAnswer, closed: Promise<void>) {
    this.#http = http;
    this.#stream = stream;
    this.hello = hello;
    this.closed = closed;
  }

  /** Says hello, so that a session that was opened is one that works. */
  static async open(stream: Duplex, request: HelloRequest): Promise<Session> {
    const http = connect("http://supervisor", {
      createConnection: () => stream,
      settings: { initialWindowSize: streamWindow, enablePush: false },
    });
    http.on("error", () => {}); // Every request and exec reports it to its own caller.
    http.once("connect", () => http.setLocalWindowSize(sessionWindow));
    const closed = new Promise<void>((resolve) => {
      http.once("close", resolve);
      stream.once("close", resolve);
    });
    try {
      const hello = await ask(http, "/hello", request, helloAnswer);
      if (hello.protocol !== protocolVersion) throw versionMismatch(hello.protocol);
      return new Session(http, stream, hello, closed);
    } catch (error) {
      http.destroy();
      stream.destroy();
      throw error;
    }
  }

  async exec(spec: ExecSpec): Promise<Execution> {
    return this.#answered(await openExecution(this.#execStream(), { open: execSpec.parse(spec) }));
  }

  async attach(spec: AttachSpec): Promise<Execution> {
    return this.#answered(await openExecution(this.#execStream(), { attach: attachSpec.parse(spec) }));
  }

  async prepare(request: PrepareRequest): Promise<void> {
    await ask(this.#http, "/prepare", request, z.unknown());
  }

  async signal(request: SignalRequest): Promise<void> {
    await ask(this.#http, "/signal", request, z.unknown());
  }

  async execs(): Promise<ExecInfo[]> {
    return ask(this.#http, "/execs", {}, z.array(execInfo));
  }

  async stats(): Promise<SandboxStats> {
    return ask(this.#http, "/stats", {}, sandboxStats);
  }

  async mounts(): Promise<SandboxMount[]> {
    return ask(this.#http, "/mounts", {}, z.array(sandboxMount));
  }

  /** What to put in front of a command that the Engine starts on a terminal. */
  async reserveTerminal(request: { id: string; user?: string }): Promise<TerminalReservation> {
    return ask(this.#http, "/terminal", request, terminalReservation);
  }

  get isOpen(): boolean {
    return !this.#http.closed && !this.#http.destroyed;
  }

  /** At once: HTTP/2 by itself would first see its last words off, and a peer that does not read holds it for ever. */
  async close(): Promise<void> {
    this.#http.destroy();
    this.#stream.destroy();
    await this.closed;
  }

  /**
   * Signals go as a request of their own, which is answered when they were sent: on the exec's stream one could be
   * lost when the session is closed right after, and a finished exec has no stream any more.
   */
  #answered(execution: Execution): Execution {
    return { ...execution, kill: (signal = "SIGKILL") => this.signal({ id: execution.id, signal }) };
  }

  #execStream(): Duplex {
    return request(this.#http, "/exec");
  }
}

export function openSession(stream: Duplex, request: HelloRequest): Promise<Session> {
  return Session.open(stream, request);
}

async function ask<T>(
  http: ClientHttp2Session,
  path: string,
  body: unknown,
  shape: z.ZodType<T>,
): Promise<T> {
  const { status, text } = await roundTrip(http, path, JSON.stringify(body));
  const value: unknown = text === "" ? {} : JSON.parse(text);
  if (status === 200) return shape.parse(value);
  const { code, message } = refusal.parse(value);
  // An unknown code of a newer supervisor is still an error, only a less precise one.
  throw new SandboxError(code as ErrorCode, message);
}

function roundTrip(
  http: ClientHttp2Session,
  path: string,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const stream = request(http, path);
    let status = 0;
    const chunks: Buffer[] = [];
    let size = 0;
    stream.setTimeout(answerTimeoutMs, () => stream.destroy(new Error(`no answer to ${path}`)));
    stream.once("response", (headers) => {
      status = Number(headers[":status"]);
    });
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxAnswerBytes) stream.destroy(new Error(`the answer to ${path} is too large`));
      else chunks.push(chunk);
    });
    stream.once("error", (error) => reject(silent(error)));
    stream.once("close", () => {
      if (status === 0) reject(silent());
      else resolve({ status, text: Buffer.concat(chunks).toString("utf8") });
    });
    stream.end(body);
  });
}

/** Over a session that has ended Node throws at once; for the caller it is the same as losing it a moment later. */
function request(http: ClientHttp2Session, path: string): ClientHttp2Stream {
  try {
    return http.request({ ":method": "POST", ":path": path }, { endStream: false });
  } catch (error) {
    throw silent(error);
  }
}

function silent(cause?: unknown): SandboxError {
  return new SandboxError("session_lost", "the sandbox's supervisor did not answer", {
    remedy: "look at the sandbox with `docker sandbox inspect`, or stop and start it",
    cause,
  });
}

function versionMismatch(protocol: number): SandboxError {
  return new SandboxError(
    "sandbox_broken",
    `the sandbox was started by another version of openTiger (protocol ${protocol}, wanted ${protocolVersion})`,
    { remedy: "stop it and start it again: the supervisor is replaced at start" },
  );
}
