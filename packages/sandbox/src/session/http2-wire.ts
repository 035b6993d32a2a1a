import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { portHeader } from "../protocol/doors.ts";
import { sessionWindow, streamWindow } from "../protocol/windows.ts";
import { answerTimeoutMs, maxAnswerBytes, silent, type Wire } from "./wire.ts";

/** Everything over one byte stream, the supervisor being an HTTP/2 server: for carriers where a stream is dear. */
export function http2Wire(stream: Duplex): Wire {
  const http = connect("http://supervisor", {
    createConnection: () => stream,
    settings: { initialWindowSize: streamWindow, enablePush: false },
  });
  http.on("error", () => {}); // Every question and exec reports it to its own caller.
  http.once("connect", () => http.setLocalWindowSize(sessionWindow));
  return {
    stream: async () => request(http, "/exec"),
    ahead: () => {},
    ask: (path, body) => ask(http, path, body),
    connect: (port) => connectInside(http, port),
    get isOpen() {
      return !http.closed && !http.destroyed;
    },
    closed: new Promise((resolve) => {
      http.once("close", resolve);
      stream.once("close", resolve);
    }),
    // At once: HTTP/2 by itself would first see its last words off, and a peer that does not read holds it for ever.
    close: () => {
      http.destroy();
      stream.destroy();
    },
  };
}

function ask(http: ClientHttp2Session, path: string, body: string): Promise<{ ok: boolean; text: string }> {
  return new Promise((resolve, reject) => {
    const stream = request(http, path);
    let status = 0;
    const chunks: Buffer[] = [];
    let size = 0;
    stream.setTimeout(answerTimeoutMs, () => stream.destroy(new Error(`no answer to ${path}`)));
    stream.once("response", (headers) => {
      status = Number(headers[":status"]);
    });
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxAnswerBytes) stream.destroy(new Error(`the answer to ${path} is too large`));
      else chunks.push(chunk);
    });
    stream.once("error", (error) => reject(silent(error)));
    stream.once("close", () => {
      if (status === 0) reject(silent());
      else resolve({ ok: status === 200, text: Buffer.concat(chunks).toString("utf8") });
    });
    stream.end(body);
  });
}

function connectInside(http: ClientHttp2Session, port: number): ReturnType<Wire["connect"]> {
  return new Promise((resolve, reject) => {
    const stream = request(http, "/connect", { [portHeader]: String(port) });
    const fail = (error?: unknown): void => reject(silent(error));
    stream.setTimeout(answerTimeoutMs, () => stream.destroy());
    stream.on("error", fail);
    stream.once("close", fail);
    stream.once("response", (headers) => {
      stream.setTimeout(0);
      stream.off("close", fail);
      if (Number(headers[":status"]) === 200) return resolve({ ok: true, stream });
      text(stream).then((said) => resolve({ ok: false, text: said }), fail);
      stream.end();
    });
  });
}

/** Over a session that has ended Node throws at once; for the caller it is the same as losing it a moment later. */
function request(
  http: ClientHttp2Session,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): ClientHttp2Stream {
  try {
    return http.request({ ":method": "POST", ":path": path, ...headers }, { endStream: false });
  } catch (error) {
    throw silent(error);
  }
}
