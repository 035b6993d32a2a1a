import type { IncomingMessage } from "node:http";
import { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Redactor } from "./redactor.ts";

/** Whoever looks at an answer as it passes. It keeps no chunk: their memory is used again. */
export interface Watcher {
  feed(chunk: Buffer): void;
}

/** Through which an answer passes on its way back: watched as it was sent, and without the credential. */
export function answerStream(redactor: Redactor, watchers: readonly Watcher[]): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const watcher of watchers) watcher.feed(chunk);
      done(null, redactor.feed(chunk));
    },
    flush(done) {
      done(null, redactor.end());
    },
  });
}

/** We ask for no compression. Where it is used all the same it is undone; undefined for one that we cannot undo. */
export function decompression(response: IncomingMessage): Transform[] | undefined {
  const encoding = (response.headers["content-encoding"] ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return [];
  if (encoding === "gzip" || encoding === "x-gzip") return [createGunzip()];
  if (encoding === "deflate") return [createInflate()];
  return encoding === "br" ? [createBrotliDecompress()] : undefined;
}

/** At most so much of an answer; the rest is not waited for. */
export async function readStart(response: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit);
}
