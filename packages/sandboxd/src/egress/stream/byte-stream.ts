import { Socket } from "node:net";
import { Duplex } from "node:stream";

/**
 * The stream as the doors use it. Node's HTTP server writes its heads as latin1 strings, and a stream of HTTP/2
 * sends those damaged; so whatever is not a socket is put behind a stream that hands on bytes only.
 */
export function byteStream(stream: Duplex): Duplex {
  return stream instanceof Socket ? stream : new ByteStream(stream);
}

class ByteStream extends Duplex {
  readonly #inner: Duplex;

  constructor(inner: Duplex) {
    super({ highWaterMark: inner.readableHighWaterMark, emitClose: true });
    this.#inner = inner;
    inner.on("readable", () => this.#pump());
    inner.once("end", () => this.push(null));
    inner.on("error", (error) => this.destroy(error));
    inner.once("close", () => this.#onClose());
    if (inner.destroyed) this.destroy();
  }

  override _read(): void {
    this.#pump();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#inner.write(chunk)) done();
    else this.#inner.once("drain", () => done());
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#inner.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#inner.destroy();
    done(error);
  }

  #pump(): void {
    for (let chunk: unknown = this.#inner.read(); chunk !== null; chunk = this.#inner.read()) {
      if (!this.push(chunk)) return;
    }
  }

  #onClose(): void {
    if (!this.#inner.readableEnded) this.destroy();
  }
}
