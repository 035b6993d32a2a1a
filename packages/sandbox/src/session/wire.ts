import type { Duplex } from "node:stream";
import { SandboxError } from "../errors.ts";

/** What takes questions and execs to a supervisor and brings answers back. */
export interface Wire {
  /** A byte stream for the frames of one exec. */
  stream(): Promise<Duplex>;
  /** Gets the next stream ready. For the moment in which an answer is here, since it competes with what is asked. */
  ahead(): void;
  /** One question and its answer, as JSON; `ok` is false when the supervisor refused. */
  ask(path: string, body: string): Promise<{ ok: boolean; text: string }>;
  /** A byte stream to a port inside the sandbox. */
  connect(port: number): Promise<{ ok: true; stream: Duplex } | { ok: false; text: string }>;
  readonly isOpen: boolean;
  /** Resolves when it has ended, from whichever side. */
  readonly closed: Promise<void>;
  close(): void;
}

/** A supervisor that prepares a slow disk may take a while; one that never answers must not hang us. */
export const answerTimeoutMs = 30_000;

/** The answers are small; a sandbox that sends more is not speaking our protocol. */
export const maxAnswerBytes = 8 * 1024 * 1024;

export function silent(cause?: unknown): SandboxError {
  return new SandboxError("session_lost", "the sandbox's supervisor did not answer", {
    remedy: "look at the sandbox with `docker sandbox inspect`, or stop and start it",
    cause,
  });
}
