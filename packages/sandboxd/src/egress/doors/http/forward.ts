import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream";
import { bracketedHost } from "../../host/host.ts";
import { type Target, targetText } from "../../host/target.ts";
import type { OpenWay } from "../../ways.ts";
import { answerRequest, failedAnswer } from "./answer.ts";
import { endToEnd, type RawHeaders, without } from "./headers.ts";
import type { ForwardRequest } from "./request.ts";

/** Sends one request on over its own connection, and the answer back. Both bodies stream. */
export function forward(
  way: OpenWay,
  asked: ForwardRequest,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  const fail = (reason: string) => answerRequest(response, failedAnswer(asked.target, reason));
  const outgoing = outgoingRequest(way, asked, incoming);
  if (!outgoing) return fail("the request cannot be passed on");
  outgoing.on("error", () => fail("the connection ended before there was an answer"));
  outgoing.on("response", (answer) => passBack(answer, response));
  response.once("close", () => {
    if (!response.writableFinished) way.socket.destroy();
  });
  // An error of either is seen by the handlers above, as the end of the connection.
  if (asked.body === "none") outgoing.end();
  else pipeline(incoming, outgoing, () => {});
}

/** The request as the host gets it: our own Host header and framing, nothing about the connection to us. */
export function outgoingRequest(
  way: OpenWay,
  asked: ForwardRequest,
  incoming: IncomingMessage,
  connection: RawHeaders = ["Connection", "close"],
): ClientRequest | undefined {
  const { proxy } = way;
  const framing: Record<ForwardRequest["body"], string[]> = {
    none: /^(?:POST|PUT|PATCH)$/.test(incoming.method ?? "") ? ["Content-Length", "0"] : [],
    length: [],
    chunked: ["Transfer-Encoding", "chunked"],
  };
  try {
    return httpRequest({
      createConnection: () => way.socket,
      method: incoming.method ?? "GET",
      path: proxy ? `http://${targetText(asked.target)}${asked.path}` : asked.path,
      headers: [
        "Host",
        hostHeader(asked.target),
        ...without(endToEnd(incoming.rawHeaders), "host"),
        ...framing[asked.body],
        ...(proxy?.authorization ? ["Proxy-Authorization", proxy.authorization] : []),
        ...connection,
      ],
    });
  } catch {
    // Characters in the path that Node does not send.
    way.socket.destroy();
    return undefined;
  }
}

/** The head of an answer, as it goes back into the sandbox. */
function passBack(answer: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false;
  try {
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders));
  } catch {
    answer.destroy();
    response.destroy();
    return;
  }
  pipeline(answer, response, () => {});
}

function hostHeader(target: Target): string {
  return target.port === 80 ? bracketedHost(target.host) : targetText(target);
}
