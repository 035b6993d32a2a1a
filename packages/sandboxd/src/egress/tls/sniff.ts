import type { Duplex } from "node:stream";
import { readHead } from "../stream/read-head.ts";
import { type Hello, handshakeRecord, readHello } from "./hello.ts";

/** What a client's first bytes are. They stay in the stream. */
export type Sniffed =
  | { kind: "tls"; hello: Hello }
  /** Began as TLS and did not go on as that, in time or at all. */
  | { kind: "broken-tls" }
  | { kind: "http" }
  | { kind: "other" }
  | { kind: "silent" }
  /** The client ended without a byte. */
  | { kind: "ended" };

const mostBytes = 16 * 1024;

/** A hello that is under way arrives at once; a few letters that may become a method are nothing else after this. */
const restMs = 300;

/** `silenceMs` is how long the first byte may take; undefined waits as long as the stream lives. */
export async function sniff(stream: Duplex, silenceMs: number | undefined): Promise<Sniffed> {
  const head = await readHead(stream, classify, { bytes: mostBytes, firstByteMs: silenceMs, restMs });
  if (head.state === "read") return head.value;
  if (head.state === "silent") return { kind: "silent" };
  if (head.state === "ended") return { kind: head.empty ? "ended" : "broken-tls" };
  const letters = head.state === "slow" && head.firstByte !== handshakeRecord;
  return { kind: letters ? "other" : "broken-tls" };
}

function classify(bytes: Buffer): { value: Sniffed; used: number } | undefined {
  const tls = readHello(bytes);
  if (tls === undefined) return undefined;
  if (tls.kind === "hello") return { value: { kind: "tls", hello: tls.hello }, used: 0 };
  if (tls.kind === "malformed") return { value: { kind: "broken-tls" }, used: 0 };
  const start = bytes.subarray(0, 24).toString("latin1");
  if (/^[A-Z]{1,20}$/.test(start)) return undefined;
  return { value: { kind: /^[A-Z]{3,20} /.test(start) ? "http" : "other" }, used: 0 };
}
