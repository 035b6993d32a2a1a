import type { Duplex } from "node:stream";

/** What a parser makes of the bytes so far: undefined wants more of them. */
export type HeadParser<T> = (bytes: Buffer) => { value: T; used: number } | undefined;

export interface HeadLimits {
  bytes: number;
  /** How long the first byte may take; undefined waits as long as the stream lives. */
  firstByteMs: number | undefined;
  /** How long the rest may take, from the first byte on. */
  restMs: number;
}

export type Head<T> =
  | { state: "read"; value: T }
  | { state: "silent" }
  | { state: "slow"; firstByte: number | undefined }
  | { state: "ended"; empty: boolean }
  | { state: "too-long" };

/**
 * Reads the start of a stream, bounded in bytes and time. What the parser did not use is put back, so that
 * whoever reads next finds it; after `silent` and `slow` that is everything.
 */
export function readHead<T>(stream: Duplex, parse: HeadParser<T>, limits: HeadLimits): Promise<Head<T>> {
  return new Promise((resolve) => {
    let bytes: Buffer = Buffer.alloc(0);
    let timer = limits.firstByteMs === undefined ? undefined : setTimeout(onTime, limits.firstByteMs);
    stream.on("readable", onReadable);
    stream.on("end", onEnd);
    stream.on("close", onEnd);
    // A stream that has been listened to before does not tell again of what it already holds.
    onReadable();

    function onReadable(): void {
      for (let chunk: unknown = stream.read(); chunk !== null; chunk = stream.read()) {
        if (!Buffer.isBuffer(chunk)) return conclude({ state: "too-long" }, 0);
        if (bytes.length === 0) {
          clearTimeout(timer);
          timer = setTimeout(onTime, limits.restMs);
        }
        bytes = Buffer.concat([bytes, chunk]);
      }
      if (bytes.length === 0) return;
      const result = parse(bytes);
      if (result) return conclude({ state: "read", value: result.value }, result.used);
      if (bytes.length > limits.bytes) conclude({ state: "too-long" }, 0);
    }

    function onTime(): void {
      conclude(bytes.length === 0 ? { state: "silent" } : { state: "slow", firstByte: bytes[0] }, 0);
    }

    function onEnd(): void {
      conclude({ state: "ended", empty: bytes.length === 0 }, bytes.length);
    }

    /** In the same tick as the read: a stream whose end was seen takes nothing back a tick later. */
    function conclude(head: Head<T>, used: number): void {
      clearTimeout(timer);
      stream.off("readable", onReadable);
      stream.off("end", onEnd);
      stream.off("close", onEnd);
      if (used < bytes.length && !stream.destroyed) stream.unshift(bytes.subarray(used));
      resolve(head);
    }
  });
}
