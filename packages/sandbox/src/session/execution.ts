import { type Duplex, Writable } from "node:stream";
import {
  type AttachSpec,
  type ExecExit,
  type ExecOpened,
  type ExecSpec,
  isErrorCode,
  type Refusal,
} from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import {
  encodeFrame,
  encodeJson,
  type Frame,
  FrameDecoder,
  frameType,
  readJson,
  stdinWindow,
} from "../protocol/frames.ts";
import type { Execution, OutputChunk } from "../sandbox.ts";

/** How much output may wait here for its reader before the supervisor is made to wait. */
const queueBytes = 1024 * 1024;

const stdinPiece = 64 * 1024;

/** Far below what a spool holds, so that waiting for an acknowledgement never blocks a writer. */
const ackBytes = 64 * 1024;

/**
 * Opens or attaches to an exec over a byte stream that carries its frames: a stream of a session, or a socket of
 * its own. Light on purpose: the `exec` command starts with nothing but this.
 */
export async function openExecution(
  stream: Duplex,
  first: { open: ExecSpec } | { attach: AttachSpec },
): Promise<Execution> {
  const client = new ExecutionClient(stream);
  client.send(
    "open" in first ? encodeJson(frameType.open, first.open) : encodeJson(frameType.attach, first.attach),
  );
  const { id, pid } = await client.opened;
  return {
    id,
    pid,
    stdin: client.stdin,
    exit: client.exit,
    output: () => client.output(),
    kill: async (signal = "SIGKILL") => void client.send(encodeJson(frameType.signal, { signal })),
    detach: () => void stream.destroy(),
  };
}

class ExecutionClient {
  readonly opened: Promise<ExecOpened>;
  readonly exit: Promise<ExecExit>;
  readonly stdin: Writable;
  readonly #stream: Duplex;
  readonly #decoder = new FrameDecoder();
  readonly #queue: OutputChunk[] = [];
  #queued = 0;
  readonly #read = { stdout: 0, stderr: 0 };
  readonly #acknowledged = { stdout: 0, stderr: 0 };
  #settled = false;
  #wakeReader: (() => void) | undefined;
  #stdinSent = 0;
  #stdinTaken = 0;
  #wakeStdin: (() => void) | undefined;
  #opened = deferred<ExecOpened>();
  #exit = deferred<ExecExit>();

  constructor(stream: Duplex) {
    this.#stream = stream;
    this.opened = this.#opened.promise;
    this.exit = this.#exit.promise;
    // Whoever cares awaits them; nobody else shall be ended by them.
    this.opened.catch(() => {});
    this.exit.catch(() => {});
    this.stdin = this.#makeStdin();
    stream.on("data", (chunk: Buffer) => this.#receive(chunk));
    stream.on("error", (error) => this.#fail(lost(error)));
    stream.on("close", () => this.#fail(lost()));
    stream.on("end", () => this.#fail(lost()));
  }

  send([header, payload]: [Buffer, Buffer]): boolean {
    if (this.#stream.destroyed || this.#stream.writableEnded) return true;
    return this.#stream.write(payload.length === 0 ? header : Buffer.concat([header, payload]));
  }

  async *output(): AsyncIterable<OutputChunk> {
    for (;;) {
      const chunk = this.#queue[0];
      if (!chunk) {
        if (this.#settled) return;
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
        continue;
      }
      this.#queue.shift();
      yield chunk;
      this.#consumed(chunk);
    }
  }

  /** What comes in many small pieces is acknowledged in larger ones: every acknowledgement is a frame of its own. */
  #consumed({ stream, offset, data }: OutputChunk): void {
    this.#queued -= data.length;
    if (this.#queued < queueBytes) this.#stream.resume();
    this.#read[stream] = offset + data.length;
    if (this.#queue.length > 0 && this.#read[stream] - this.#acknowledged[stream] < ackBytes) return;
    for (const [name, type] of [
      ["stdout", frameType.ackStdout] as const,
      ["stderr", frameType.ackStderr] as const,
    ]) {
      if (this.#read[name] === this.#acknowledged[name]) continue;
      this.#acknowledged[name] = this.#read[name];
      this.send(encodeFrame(type, undefined, this.#read[name]));
    }
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#decoder.push(chunk)) this.#take(frame);
    } catch (error) {
      this.#fail(lost(error));
      this.#stream.destroy();
    }
  }

  #take(frame: Frame): void {
    switch (frame.type) {
      case frameType.opened:
        return this.#opened.resolve(asOpened(readJson(frame)));
      case frameType.stdout:
        return this.#enqueue("stdout", frame);
      case frameType.stderr:
        return this.#enqueue("stderr", frame);
      case frameType.ackStdin:
        this.#stdinTaken = frame.offset;
        return this.#wakeStdin?.();
      case frameType.exit:
        return this.#settle(() => this.#exit.resolve(asExit(readJson(frame))));
      case frameType.refused:
        return this.#fail(refused(readJson(frame)));
      default:
        throw new Error(`frame ${frame.type} does not come from a supervisor`);
    }
  }

  #enqueue(stream: "stdout" | "stderr", frame: Frame): void {
    this.#queue.push({ stream, offset: frame.offset, data: frame.payload });
    this.#queued += frame.payload.length;
    if (this.#queued >= queueBytes) this.#stream.pause();
    this.#wakeReader?.();
  }

  #fail(error: SandboxError): void {
    this.#settle(() => {
      this.#opened.reject(error);
      this.#exit.reject(error);
    });
  }

  #settle(outcome: () => void): void {
    if (this.#settled) return;
    this.#settled = true;
    outcome();
    this.#wakeReader?.();
    this.#wakeStdin?.();
  }

  /** Stays within the window; what comes after the command's end is dropped, as a closed pipe would. */
  #makeStdin(): Writable {
    return new Writable({
      highWaterMark: stdinPiece,
      write: (chunk: Buffer, _encoding, done) => {
        void this.#sendStdin(chunk).then(() => done(), done);
      },
      final: (done) => {
        this.send(encodeFrame(frameType.stdinEnd));
        done();
      },
    });
  }

  async #sendStdin(chunk: Buffer): Promise<void> {
    for (let start = 0; start < chunk.length; start += stdinPiece) {
      const piece = chunk.subarray(start, start + stdinPiece);
      while (!this.#settled && this.#stdinSent + piece.length - this.#stdinTaken > stdinWindow) {
        await new Promise<void>((resolve) => {
          this.#wakeStdin = resolve;
        });
      }
      this.send(encodeFrame(frameType.stdin, piece, this.#stdinSent));
      this.#stdinSent += piece.length;
    }
  }
}

function lost(cause?: unknown): SandboxError {
  return new SandboxError(
    "session_lost",
    "the session to the sandbox ended before the command's exit was known",
    {
      remedy: "attach to the exec again with its id; the command may still be running",
      cause,
    },
  );
}

function refused(value: unknown): SandboxError {
  const { code, message } = value as Partial<Refusal>;
  // An unknown code of a newer supervisor is still an error, only a less precise one.
  return new SandboxError(isErrorCode(code) ? code : "internal", String(message ?? "the supervisor refused"));
}

function asOpened(value: unknown): ExecOpened {
  const { id, pid, resumed } = value as Partial<ExecOpened>;
  if (typeof id !== "string" || typeof pid !== "number")
    throw new Error("malformed answer of the supervisor");
  return { id, pid, resumed: resumed === true };
}

function asExit(value: unknown): ExecExit {
  const { code, signal, reason } = value as Partial<ExecExit>;
  if (typeof code !== "number" && typeof signal !== "string")
    throw new Error("malformed exit from the supervisor");
  return { code: code ?? null, signal: signal ?? null, reason: reason ?? "exited" };
}

function deferred<T>(): { promise: Promise<T>; resolve(value: T): void; reject(error: unknown): void } {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
