import { Duplex } from "node:stream";
import { type FrameType, frameType } from "./frames.ts";

/** What of one stream may be under way in each direction; a thousand that nobody reads are bounded by it. */
const window = 256 * 1024;

/** Large enough to be worth a frame, small enough for many streams to take turns. */
const pieceBytes = 64 * 1024;

/** What a stream needs of the wire it shares with others. */
export interface MuxWire {
  send(type: FrameType, id: number, payload?: Buffer): boolean;
  whenFree(then: () => void): void;
  forget(id: number): void;
}

/** One connection within a Mux. Each direction ends by itself; one that is destroyed before is cut on both sides. */
export class MuxStream extends Duplex {
  readonly #wire: MuxWire;
  readonly #id: number;
  /** What came and was not read yet, and how much of it the other side was not told of since. */
  readonly #arrived: Buffer[] = [];
  #held = 0;
  #read = 0;
  #ended = false;
  #flowing = false;
  /** How much the other side still takes. */
  #credit = window;
  #resume: (() => void) | undefined;

  constructor(wire: MuxWire, id: number) {
    super({ readableHighWaterMark: pieceBytes, writableHighWaterMark: pieceBytes });
    this.#wire = wire;
    this.#id = id;
  }

  receive(type: FrameType, payload: Buffer): void {
    switch (type) {
      case frameType.muxData:
        return this.#take(payload);
      case frameType.muxEnd:
        this.#ended = true;
        return this.#hand();
      case frameType.muxReset:
        return this.cut();
      case frameType.muxCredit:
        this.#credit += payload.readUInt32BE(0);
        return this.#resume?.();
      default:
        throw new Error(`frame ${type} is not one of a stream`);
    }
  }

  /** The other side is gone, or has cut it. */
  cut(): void {
    this.#wire.forget(this.#id);
    this.#ended = true;
    this.destroy(new Error("the connection was cut"));
  }

  override _read(): void {
    this.#flowing = true;
    this.#hand();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.destroyed) return done();
    const bytes = Math.min(chunk.length, pieceBytes, this.#credit);
    if (bytes === 0 && chunk.length > 0) return this.#whenCredited(() => this._write(chunk, _encoding, done));
    this.#credit -= bytes;
    this.#wire.send(frameType.muxData, this.#id, chunk.subarray(0, bytes));
    this.#wire.whenFree(() => {
      if (bytes === chunk.length || this.destroyed) done();
      else this._write(chunk.subarray(bytes), _encoding, done);
    });
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#wire.send(frameType.muxEnd, this.#id);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const whole = this.#ended && this.writableFinished;
    if (!whole) this.#wire.send(frameType.muxReset, this.#id);
    this.#wire.forget(this.#id);
    this.#arrived.length = 0;
    this.#resume?.();
    done(error);
  }

  #take(payload: Buffer): void {
    this.#held += payload.length;
    if (this.#held > window || this.#ended) throw new Error("more than was allowed");
    this.#arrived.push(payload);
    this.#hand();
  }

  /** Hands on what there is while the reader wants it, and tells the other side how much it may send again. */
  #hand(): void {
    while (this.#flowing && this.#arrived.length > 0) {
      const piece = this.#arrived.shift() as Buffer;
      this.#read += piece.length;
      this.#flowing = this.push(piece);
    }
    if (this.#read >= window / 2) {
      const credit = Buffer.alloc(4);
      credit.writeUInt32BE(this.#read);
      this.#held -= this.#read;
      this.#read = 0;
      this.#wire.send(frameType.muxCredit, this.#id, credit);
    }
    if (this.#ended && this.#arrived.length === 0 && !this.destroyed) this.push(null);
  }

  #whenCredited(then: () => void): void {
    this.#resume = () => {
      this.#resume = undefined;
      then();
    };
  }
}
