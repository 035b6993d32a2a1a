import { setMaxListeners } from "node:events";
import type { Socket } from "node:net";
import { dialBack } from "../carriers/socket.ts";
import { SandboxError } from "../errors.ts";
import { encodeFrame, encodeJson, type Frame, FrameDecoder, frameType } from "../protocol/frames.ts";
import { answerTimeoutMs, maxAnswerBytes, silent, type Wire } from "./wire.ts";

/**
 * A socket for every exec and question: where a folder is shared, being dialled costs less than what HTTP/2 takes to
 * load and to run. Between two of them one socket is kept ahead; when the supervisor ends, so does that one, and then
 * the wire.
 */
export async function dialledWire(
  folder: string,
  options: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<Wire> {
  const first = await dialBack(folder, "exec", options);
  return new DialledWire(folder, first);
}

class DialledWire implements Wire {
  readonly closed: Promise<void>;
  isOpen = true;
  readonly #folder: string;
  readonly #sockets = new Set<Socket>();
  readonly #stop = new AbortController();
  #spare: Promise<Socket> | undefined;
  #end!: () => void;

  constructor(folder: string, first: Socket) {
    this.#folder = folder;
    // Who follows many runs may be waiting for many dials at once.
    setMaxListeners(0, this.#stop.signal);
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#spare = Promise.resolve(this.#guard(first));
  }

  async stream(): Promise<Socket> {
    if (!this.isOpen) throw silent();
    const taken = this.#spare ?? this.#dial();
    this.#spare = undefined;
    const socket = await taken;
    socket.removeAllListeners("close");
    socket.once("close", () => this.#sockets.delete(socket));
    return socket;
  }

  ahead(): void {
    if (!this.isOpen || this.#spare) return;
    this.#spare = this.#dial();
    this.#spare.catch(() => {});
  }

  async ask(path: string, body: string): Promise<{ ok: boolean; text: string }> {
    const socket = await this.stream();
    socket.setTimeout(answerTimeoutMs, () => socket.destroy(new Error(`no answer to ${path}`)));
    for (const part of encodeFrame(frameType.request, Buffer.from(`${path}\n${body}`))) socket.write(part);
    try {
      const frame = await oneFrame(socket);
      return { ok: frame.type === frameType.answer, text: frame.payload.toString("utf8") };
    } finally {
      socket.destroy();
      this.ahead();
    }
  }

  /** The same socket goes on without frames: nothing is copied and nothing has to be taken apart. */
  async connect(port: number): ReturnType<Wire["connect"]> {
    const socket = await this.stream();
    socket.setTimeout(answerTimeoutMs, () => socket.destroy());
    for (const part of encodeJson(frameType.connect, { port })) socket.write(part);
    const { type, payload } = await frameOffTheFront(socket).finally(() => this.ahead());
    socket.setTimeout(0);
    if (type === frameType.answer) {
      socket.allowHalfOpen = true;
      return { ok: true, stream: socket };
    }
    socket.destroy();
    return { ok: false, text: payload.toString("utf8") };
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#stop.abort();
    for (const socket of this.#sockets) socket.destroy();
    this.#end();
  }

  async #dial(): Promise<Socket> {
    try {
      return this.#guard(await dialBack(this.#folder, "exec", { signal: this.#stop.signal }));
    } catch (error) {
      this.close();
      throw error instanceof SandboxError && error.code === "cancelled" ? silent(error) : error;
    }
  }

  /** Until it is used, its end means that nobody is there any more. */
  #guard(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.close());
    return socket;
  }
}

/** One frame and not a byte more: the rest stays in the socket. */
function frameOffTheFront(socket: Socket): Promise<Frame> {
  const decoder = new FrameDecoder();
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void): void => {
      socket.off("readable", look);
      socket.off("close", lost);
      // Not in the same turn: a socket flows again only when it has seen that nobody looks for what is readable.
      setImmediate(outcome);
    };
    const lost = (): void => settle(() => reject(silent()));
    const look = (): void => {
      try {
        // Without an encoding it is a buffer, and null until there are as many bytes.
        for (let bytes = decoder.missing; bytes > 0; bytes = decoder.missing) {
          const taken = socket.read(bytes) as Buffer | null;
          if (!taken) return;
          const [frame] = decoder.push(taken);
          if (frame) return settle(() => resolve(frame));
        }
      } catch (error) {
        settle(() => reject(silent(error)));
      }
    };
    socket.on("readable", look);
    socket.on("close", lost);
  });
}

function oneFrame(socket: Socket): Promise<Frame> {
  const decoder = new FrameDecoder();
  let size = 0;
  return new Promise((resolve, reject) => {
    socket.once("error", (error) => reject(silent(error)));
    socket.once("close", () => reject(silent()));
    socket.on("data", (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > maxAnswerBytes) throw new Error("the answer is too large");
        const [frame] = decoder.push(chunk);
        if (frame) resolve(frame);
      } catch (error) {
        reject(silent(error));
      }
    });
  });
}
