import type { Duplex } from "node:stream";
import { encodeFrame, FrameDecoder, type FrameType, frameType } from "./frames.ts";
import { MuxStream } from "./mux-stream.ts";

/** As many as the supervisor lets in, and some that are just ending. */
const mostStreams = 2048;

/** Told of a connection that the other side opened: what it wanted, and its bytes both ways. */
export type TakeStream = (opening: string, stream: Duplex) => void;

/**
 * Many connections over one byte stream, each with its own flow control: nobody who does not read holds up the others,
 * and reading never waits for writing, so the two ends cannot wait for each other. HTTP/2 would do the same; Node's
 * reaches a third of the speed here, and only with a large window in one direction at a time.
 */
export class Mux {
  readonly closed: Promise<void>;
  readonly #wire: Duplex;
  readonly #streams = new Map<number, MuxStream>();
  readonly #decoder = new FrameDecoder();
  readonly #take: TakeStream | undefined;
  #waiting: (() => void)[] = [];
  #blocked = false;
  #nextId = 1;

  /** Only one of the two sides opens streams; the other one takes them. */
  constructor(wire: Duplex, take?: TakeStream) {
    this.#wire = wire;
    this.#take = take;
    wire.on("data", (chunk: Buffer) => this.#receive(chunk));
    wire.on("drain", () => this.#unblock());
    wire.on("error", () => {});
    wire.once("end", () => wire.destroy());
    this.closed = new Promise((resolve) => {
      wire.once("close", () => {
        for (const stream of this.#streams.values()) stream.cut();
        this.#unblock();
        resolve();
      });
    });
  }

  get isOpen(): boolean {
    return !this.#wire.destroyed;
  }

  open(opening: string): Duplex {
    const id = this.#nextId++;
    const stream = this.#add(id);
    this.send(frameType.muxOpen, id, Buffer.from(opening));
    return stream;
  }

  /** The first word, so that the other side knows that somebody is here. It means nothing else. */
  greet(): void {
    this.send(frameType.muxCredit, 0, Buffer.alloc(4));
  }

  close(): void {
    this.#wire.destroy();
  }

  /** For the streams: false when the wire has enough to carry for now. */
  send(type: FrameType, id: number, payload?: Buffer): boolean {
    if (this.#wire.destroyed) return true;
    const [header, body] = encodeFrame(type, payload, id);
    if (!this.#wire.write(body.length === 0 ? header : Buffer.concat([header, body]))) this.#blocked = true;
    return !this.#blocked;
  }

  /** Calls when the wire takes more, one after the other. */
  whenFree(then: () => void): void {
    if (this.#blocked) this.#waiting.push(then);
    else then();
  }

  forget(id: number): void {
    this.#streams.delete(id);
  }

  #add(id: number): MuxStream {
    const stream = new MuxStream(this, id);
    // Whoever uses it listens too; until then a connection that is cut must not be anybody's crash.
    stream.on("error", () => {});
    this.#streams.set(id, stream);
    return stream;
  }

  #unblock(): void {
    this.#blocked = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const then of waiting) this.whenFree(then);
  }

  /** What is not of this protocol, or more than was allowed, ends everything: the other side is not ours. */
  #receive(chunk: Buffer): void {
    try {
      for (const { type, offset: id, payload } of this.#decoder.push(chunk)) {
        if (type === frameType.muxOpen) this.#opened(id, payload.toString("utf8"));
        // One that has just been closed here may still be spoken of there.
        else this.#streams.get(id)?.receive(type, payload);
      }
    } catch {
      this.#wire.destroy();
    }
  }

  #opened(id: number, opening: string): void {
    if (!this.#take || this.#streams.has(id)) throw new Error("a stream that cannot be opened");
    if (this.#streams.size >= mostStreams) return void this.send(frameType.muxReset, id);
    this.#take(opening, this.#add(id));
  }
}
