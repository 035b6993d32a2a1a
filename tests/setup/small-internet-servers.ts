import { createHash } from "node:crypto";
import { createSocket } from "node:dgram";
import { readFileSync, statSync } from "node:fs";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import { createServer as createTcp, type Server } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { createServer as createTls, type TLSSocket } from "node:tls";
import { answerAsModel } from "./model-answers.ts";

/*
 * Every server of the small internet, in its network namespace: HTTP on 80 and 8080, HTTPS on 443, a name server on 53
 * (UDP and TCP) and on 853 (TLS), an echo on 9000 (TCP and UDP) and where QUIC is spoken, and on 2525 one that greets
 * before it is spoken to. FILES has a folder for each host that serves files, and any host echoes the first message of a
 * websocket. What each of them sees is one line of JSON on stdout.
 *
 *   small-internet-servers.ts ZONE-FILE CERTIFICATE KEY NAME-SERVER PUBLIC-HOST FILES
 */
const [zoneFile = "", certificate = "", key = "", nameServer = "", publicHost = "", files = ""] =
  process.argv.slice(2);
const say = (seen: object): unknown => process.stdout.write(`${JSON.stringify(seen)}\n`);
const asked = new Map<string, number>();
const plain = (address: string | undefined): string => (address ?? "").replace(/^::ffff:/, "");

function answer(kind: "http" | "https") {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url = "/", headers, socket } = request;
      // Only a TLS socket has one.
      const sni = (socket as TLSSocket).servername;
      const body = Buffer.concat(chunks).toString("utf8");
      say({ kind, to: plain(socket.localAddress), method, url, headers, body: body.slice(0, 4096), sni });
      response.setHeader("x-reflected", headers.authorization ?? String(headers["x-api-key"] ?? ""));
      if (answerAsModel(request, body, response)) return;
      const redirect = new URL(url, "http://x").searchParams.get("redirect");
      if (redirect) return void response.writeHead(302, { location: redirect }).end();
      const bytes = Number(new URL(url, "http://x").searchParams.get("bytes") ?? 0);
      const file = fileOf(headers.host ?? "", url);
      if (file?.endsWith(".html")) response.setHeader("content-type", "text/html");
      if (file) return void response.end(readFileSync(file));
      response.end(bytes > 0 ? Buffer.alloc(bytes, "x") : `reached ${plain(socket.localAddress)}\n`);
    });
  };
}

/** A path that ends in / is served from its index. */
function fileOf(host: string, url: string): string | undefined {
  const path = decodeURIComponent(new URL(url, "http://x").pathname);
  const file = join(files, host, path.endsWith("/") ? `${path}index.html` : path);
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
}

/** As much of a websocket as it takes to answer one short message with the same message. */
function echoWebsocket(request: IncomingMessage, socket: Duplex): void {
  const accept = createHash("sha1")
    .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket.on("error", () => {});
  socket.once("data", (frame: Buffer) => {
    const length = (frame[1] ?? 0) & 0x7f;
    const mask = frame.subarray(2, 6);
    const message = frame.subarray(6, 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    socket.write(Buffer.concat([Buffer.from([0x81, length]), message]));
  });
}

const started: Promise<void>[] = [];
const listen = (server: Server, port: number): unknown =>
  started.push(new Promise((resolve) => server.on("error", fail).listen(port, "::", resolve)));
listen(createHttp(answer("http")), 80);
listen(createHttp(answer("http")), 8080);
const own = { cert: readFileSync(certificate), key: readFileSync(key) };
const secure = createHttps(own, answer("https"));
listen(secure.on("upgrade", echoWebsocket), 443);
listen(
  createTcp((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      say({ kind: "tcp", to: plain(socket.localAddress), body: data.toString("latin1").slice(0, 4096) });
      socket.write(data);
    });
  }),
  9000,
);
listen(
  createTcp((socket) => {
    say({ kind: "tcp", to: plain(socket.localAddress) });
    socket.on("error", () => {});
    socket.end("220 greetings\r\n");
  }),
  2525,
);
listen(createTcp(answerNames("dns-tcp")), 53);
listen(createTls(own, answerNames("dns-tls")), 853);
// On their own addresses: an answer from another one than was asked is not taken.
const names = createSocket("udp4");
names.on("message", (query, from) => names.send(resolve(query, "dns"), from.port, from.address));
started.push(new Promise((resolve) => void names.on("error", fail).bind(53, nameServer, resolve)));
for (const port of [9000, 443]) {
  const echo = createSocket("udp4");
  echo.on("message", (data, from) => {
    say({ kind: "udp", body: data.toString("latin1") });
    echo.send(data, from.port, from.address);
  });
  started.push(new Promise((resolve) => void echo.on("error", fail).bind(port, publicHost, resolve)));
}
await Promise.all(started);
say({ kind: "ready" });

function fail(error: Error): void {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
}

/** Over a stream a question and its answer have their length in front of them. */
function answerNames(kind: "dns-tcp" | "dns-tls") {
  return (socket: Duplex): void => {
    socket.on("error", () => {});
    socket.once("data", (data: Buffer) => {
      const reply = resolve(data.subarray(2), kind);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(reply.length);
      socket.end(Buffer.concat([length, reply]));
    });
  };
}

/**
 * The zone says for each name which addresses it has: `{"a.test": [["203.0.113.10"]]}`. Several lists are given out one
 * after the other, the last one for ever: a name that changes under whoever asks twice.
 */
function resolve(query: Buffer, kind: "dns" | "dns-tcp" | "dns-tls"): Buffer {
  const { name, end, type } = question(query);
  say({ kind, name, type });
  // Written by the fixture.
  const zone = JSON.parse(readFileSync(zoneFile, "utf8")) as Record<string, string[][]>;
  const lists = zone[name];
  asked.set(name, (asked.get(name) ?? 0) + (type === 1 ? 1 : 0));
  const turn = Math.max(1, asked.get(name) ?? 1);
  const addresses = lists ? (lists[Math.min(turn, lists.length) - 1] ?? []) : [];
  const records = type === 1 ? addresses.filter((address) => address.includes(".")) : [];
  const header = Buffer.from([0, 0, 0x81, lists ? 0x80 : 0x83, 0, 1, 0, records.length, 0, 0, 0, 0]);
  query.copy(header, 0, 0, 2);
  const answers = records.map((address) =>
    Buffer.concat([
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]),
      Buffer.from(address.split(".").map(Number)),
    ]),
  );
  return Buffer.concat([header, query.subarray(12, end), ...answers]);
}

function question(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString("latin1"));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}
