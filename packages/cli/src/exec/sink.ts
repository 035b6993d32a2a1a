import { write } from "node:fs";

/**
 * Writes to a file descriptor of this process, in order. Resolves when the kernel has taken every byte, so that
 * what is acknowledged was really handed on. `process.stdout` would cost a tenth of a short command's time, and
 * makes a shared pipe non-blocking for everybody.
 */
export class Sink {
  readonly #fd: 1 | 2;
  #closed = false;
  #stream: NodeJS.WriteStream | undefined;

  constructor(fd: 1 | 2) {
    this.#fd = fd;
  }

  /** false when the reader has gone: nothing more can be written. */
  async write(data: Buffer): Promise<boolean> {
    for (let at = 0; at < data.length && !this.#closed; ) at += await this.#some(data, at);
    return !this.#closed;
  }

  #some(data: Buffer, at: number): Promise<number> {
    return new Promise((resolve, reject) => {
      write(this.#fd, data, at, data.length - at, null, (error, bytes) => {
        if (!error) return resolve(bytes);
        if (error.code === "EAGAIN") return this.#queued(data.subarray(at)).then(resolve, reject);
        if (error.code !== "EPIPE") return reject(error);
        this.#closed = true;
        resolve(0);
      });
    });
  }

  /** Somebody made our pipe non-blocking: Node's own stream knows how to wait for room. */
  #queued(data: Buffer): Promise<number> {
    const stream = this.#nodeStream();
    return new Promise((resolve, reject) => {
      stream.write(data, (error) => {
        if (!error) return resolve(data.length);
        if (!("code" in error) || error.code !== "EPIPE") return reject(error);
        this.#closed = true;
        resolve(0);
      });
    });
  }

  /** Its errors are reported to each write; without a listener they would end the process as well. */
  #nodeStream(): NodeJS.WriteStream {
    this.#stream ??= (this.#fd === 1 ? process.stdout : process.stderr).on("error", () => {});
    return this.#stream;
  }
}
