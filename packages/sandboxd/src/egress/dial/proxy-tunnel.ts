import type { Socket } from "node:net";
import { type Target, targetText } from "../host/target.ts";
import { readHead } from "../stream/read-head.ts";
import type { UpstreamProxy } from "./upstream-proxy.ts";

const longestAnswer = 16 * 1024;

/** The proxy resolves and connects before it answers. */
const answerMs = 15_000;

/** Asks the host's proxy, on a connection to it, for a tunnel to the target. Throws what it said instead. */
export async function proxyTunnel(socket: Socket, proxy: UpstreamProxy, target: Target): Promise<void> {
  const authority = targetText(target);
  const authorization = proxy.authorization ? `Proxy-Authorization: ${proxy.authorization}\r\n` : "";
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  const answer = await readHead(socket, parseAnswer, {
    bytes: longestAnswer,
    firstByteMs: answerMs,
    restMs: answerMs,
  });
  if (answer.state !== "read") throw new Error("the host's proxy did not answer");
  if (answer.value !== 200)
    throw new Error(`the host's proxy answered ${answer.value || "with something else"}`);
}

function parseAnswer(bytes: Buffer): { value: number; used: number } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(bytes.subarray(0, end).toString("latin1"));
  return { value: Number(status?.[1] ?? 0), used: end + 4 };
}
