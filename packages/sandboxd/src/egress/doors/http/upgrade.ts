import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { relay } from "../../stream/relay.ts";
import type { OpenWay } from "../../ways.ts";
import { type Answer, answerStream, failedAnswer } from "./answer.ts";
import { outgoingRequest } from "./forward.ts";
import { endToEnd } from "./headers.ts";
import type { ForwardRequest } from "./request.ts";

export function isWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === "websocket";
}

/**
 * A websocket over plain HTTP: the host is asked, and only when it agrees (101) do bytes pass as they are. An answer
 * that is no agreement goes back as an answer.
 */
export function forwardUpgrade(
  way: OpenWay,
  asked: ForwardRequest,
  incoming: IncomingMessage,
  stream: Duplex,
): void {
  const fail = (answer: Answer) => answerStream(stream, answer);
  const outgoing = outgoingRequest(way, asked, incoming, ["Connection", "Upgrade", "Upgrade", "websocket"]);
  if (!outgoing) return fail(failedAnswer(asked.target, "the request cannot be passed on"));
  stream.once("close", () => way.socket.destroy());
  outgoing.on("error", () =>
    fail(failedAnswer(asked.target, "the connection ended before there was an answer")),
  );
  outgoing.on("upgrade", (answer, socket, head) => {
    if (head.length > 0) socket.unshift(head);
    stream.write(headOf(answer, ["Connection", "Upgrade", "Upgrade", answer.headers.upgrade ?? "websocket"]));
    relay(stream, socket);
  });
  outgoing.on("response", (answer) => {
    stream.write(headOf(answer, ["Connection", "close"]));
    answer.pipe(stream);
  });
  outgoing.end();
}

/** The body behind it ends with the connection, whatever its length was told to be. */
function headOf(answer: IncomingMessage, connection: string[]): string {
  const headers = [...endToEnd(answer.rawHeaders), ...connection];
  const lines = [`HTTP/1.1 ${answer.statusCode ?? 502} ${answer.statusMessage ?? ""}`];
  for (let at = 0; at + 1 < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}
