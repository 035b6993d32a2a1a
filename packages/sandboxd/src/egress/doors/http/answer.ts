import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Target } from "../../host/target.ts";
import { type Refusal, refusalText } from "../../refusal.ts";
import { farewell } from "../../stream/farewell.ts";

/** What we say ourselves, instead of the host that was asked for. */
export interface Answer {
  status: 400 | 403 | 501 | 502;
  text: string;
  headers: Record<string, string>;
}

const words = { 400: "Bad Request", 403: "Forbidden", 501: "Not Implemented", 502: "Bad Gateway" };

export function refusedAnswer(target: Target, refusal: Refusal): Answer {
  return { status: 403, text: refusalText(target, refusal), headers: { "X-OpenTiger-Blocked": "1" } };
}

export function failedAnswer(target: Target, reason: string): Answer {
  return plain(502, `openTiger could not reach ${target.host.text} port ${target.port}: ${reason}.`);
}

export function plain(status: Answer["status"], sentence: string): Answer {
  return { status, text: `${sentence}\n`, headers: {} };
}

/** Ends the exchange, and the connection too: a body that nobody wants may still be on its way. */
export function answerRequest(response: ServerResponse, answer: Answer): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(answer.status, { ...fields(answer), Connection: "close" });
  response.end(answer.text);
}

/** The same on a stream that has left the HTTP server, after CONNECT or Upgrade. */
export function answerStream(stream: Duplex, answer: Answer): void {
  const head = Object.entries({ ...fields(answer), Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  farewell(
    stream,
    [`HTTP/1.1 ${answer.status} ${words[answer.status]}`, ...head, "", answer.text].join("\r\n"),
  );
}

function fields(answer: Answer): Record<string, string> {
  return {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(answer.text)),
    ...answer.headers,
  };
}
