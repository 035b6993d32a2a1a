import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { errorCodes, sandboxName } from "@opentiger/schema";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { beginAudit, endAudit } from "../access/audit.ts";
import { whoName } from "../access/who.ts";
import { errorAnswer } from "../api/error-answer.ts";
import { ServerError } from "../errors.ts";
import type { Parts } from "../parts.ts";
import { relayShell } from "./relay.ts";
import type { Shell } from "./shell.ts";
import { Shells } from "./shells.ts";

/** Keys and pasted text; nothing is pasted that is longer. */
const maxMessageBytes = 1024 * 1024;

/** A shell that cannot `exec` ends, so it is looked first. */
const usualShell = "command -v bash >/dev/null && exec bash -l; exec sh -l";

const question = z.strictObject({
  name: sandboxName,
  environment: z.enum(["host", "sandbox"]).default("sandbox"),
  command: z.string().min(1).max(1_000).default(usualShell),
  columns: z.coerce.number().int().min(1).max(1_000).default(80),
  rows: z.coerce.number().int().min(1).max(1_000).default(24),
  id: z.uuid().optional(),
  from: z.coerce.number().int().min(0).default(0),
});
type Question = z.output<typeof question>;

const wanted = /^\/sandboxes\/([^/]+)\/terminal$/;

/** Connections that become a terminal in a sandbox. Who may have one is decided as for every other request. */
export class Terminals {
  readonly #parts: Parts;
  readonly #shells: Shells;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    clientTracking: true,
  });

  constructor(parts: Parts, server: Server, keepMs: number) {
    this.#parts = parts;
    this.#shells = new Shells(parts.place, keepMs);
    server.on("upgrade", (request, socket, head) => void this.#upgrade(request, socket, head));
  }

  /** Shells that can be found again go on. */
  async close(): Promise<void> {
    for (const client of this.#sockets.clients) client.close(1001);
    this.#sockets.close();
    await this.#shells.close();
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Whoever goes away while we look must not end the server.
    socket.on("error", () => socket.destroy());
    let audited: number | undefined;
    const { access, place } = this.#parts;
    try {
      await access.checkWay(request, "data");
      const who = await access.identify(request);
      const asked = readQuestion(request);
      const address = request.socket.remoteAddress ?? "";
      const target = `/sandboxes/${asked.name}/terminal`;
      const row = { who: whoName(who), address, action: "GET /sandboxes/{name}/terminal", target };
      audited = await beginAudit(place.database, row);
      const { shell, resumed } = await this.#shells.open(asked);
      await endAudit(place.database, audited, 101);
      this.#sockets.handleUpgrade(
        request,
        socket,
        head,
        (opened) => void this.#serve(opened, shell, { ...asked, resumed }),
      );
    } catch (error) {
      const answer = errorAnswer(error);
      const status = errorCodes[answer.code].http;
      if (audited !== undefined) await endAudit(place.database, audited, status).catch(() => {});
      refuse(socket, status, answer);
    }
  }

  async #serve(socket: WebSocket, shell: Shell, asked: Question & { resumed: boolean }): Promise<void> {
    const isOver = await relayShell(socket, shell, { ...asked, from: asked.resumed ? asked.from : 0 });
    if (isOver) await this.#shells.end(shell);
  }
}

function readQuestion({ url = "" }: IncomingMessage): Question {
  const { pathname, searchParams } = new URL(url, "http://server");
  const [, name] = wanted.exec(pathname) ?? [];
  if (name === undefined) throw new ServerError("not_found", `there is no WebSocket at ${pathname}`);
  const parsed = question.safeParse({ name: decode(name), ...Object.fromEntries(searchParams) });
  if (parsed.success) return parsed.data;
  throw new ServerError(
    "usage",
    parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/** As an answer to the request that it still is. */
function refuse(socket: Duplex, status: number, answer: unknown): void {
  const body = JSON.stringify(answer);
  const head = [
    `HTTP/1.1 ${status} Refused`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
