import type { Socket } from "node:net";
import { startFailure } from "./node-start.ts";
import { RefusedError } from "./refusals.ts";
import { type Answer, AnswerDecoder, answerType } from "./spawner-messages.ts";

/** The socket to the spawner: who asked gets the answer to it, and whoever waits is told when there will be none. */
export class SpawnerChannel {
  isOpen = true;
  readonly #socket: Socket;
  readonly #onExit: (answer: Answer) => void;
  readonly #waiting = new Map<number, { answered(answer: Answer): void; lost(error: Error): void }>();
  #lastId = 0;

  /** `onExit` hears of the end of every command; `onClose`, that it will hear nothing more. */
  constructor(socket: Socket, onExit: (answer: Answer) => void, onClose: () => void) {
    this.#socket = socket;
    this.#onExit = onExit;
    const decoder = new AnswerDecoder();
    socket.on("data", (chunk: Buffer) => {
      for (const answer of decoder.push(chunk)) this.#take(answer);
    });
    socket.on("error", () => {});
    socket.once("close", () => {
      this.isOpen = false;
      for (const { lost } of this.#waiting.values()) lost(gone());
      this.#waiting.clear();
      onClose();
    });
  }

  /** `id` of nothing that was asked: what it says of itself when it starts. */
  greeting(): Promise<Answer> {
    return new Promise((answered, lost) => {
      this.#waiting.set(0, { answered, lost });
    });
  }

  /**
   * Asks, and calls `answered` in the moment in which the answer comes: before the next one, which may be about the
   * same process, is looked at.
   */
  ask<T>(message: (id: number) => Buffer, answered: (answer: Answer) => T): Promise<T> {
    if (!this.isOpen) return Promise.reject(gone());
    this.#lastId = (this.#lastId % 0x7fff_ffff) + 1;
    const id = this.#lastId;
    return new Promise((resolve, lost) => {
      this.#waiting.set(id, {
        lost,
        answered: (answer) => {
          if (answer.type === answerType.failed) lost(startFailure());
          else resolve(answered(answer));
        },
      });
      this.#socket.write(message(id));
    });
  }

  tell(message: Buffer): void {
    if (this.isOpen) this.#socket.write(message);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(answer: Answer): void {
    if (answer.type === answerType.exited) return this.#onExit(answer);
    const id = answer.type === answerType.ready ? 0 : answer.id;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.answered(answer);
  }
}

function gone(): RefusedError {
  return new RefusedError(
    "session_lost",
    "what starts commands in this sandbox ended; the next one is started without",
  );
}
