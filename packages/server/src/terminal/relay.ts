import { jsonOf } from "@opentiger/schema";
import type { RawData, WebSocket } from "ws";
import { z } from "zod";
import type { Shell, Viewer } from "./shell.ts";

/** A connection that was cut somewhere on its way says nothing: it is asked, and one that has not answered is gone. */
const askEveryMs = 30_000;

const told = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("resize"),
    columns: z.number().int().min(1).max(1_000),
    rows: z.number().int().min(1).max(1_000),
  }),
  z.object({ type: z.literal("close") }),
]);

export interface Attached {
  resumed: boolean;
  /** How much of the output the client has. */
  from: number;
  columns: number;
  rows: number;
}

/**
 * Shows a shell on a WebSocket until one of them ends. Binary messages are bytes of the terminal, in both directions;
 * text is JSON: `opened`, `skipped`, `exit` and `error` to the client, `resize` and `close` from it. Who goes away without
 * a `close` may come back. Answers whether the shell is over for good.
 */
export async function relayShell(socket: WebSocket, shell: Shell, asked: Attached): Promise<boolean> {
  let closed = false;
  const gone = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.once("error", () => resolve());
  });
  const viewer = attach(socket, shell, asked);
  socket.on("message", (data, isBinary) => {
    if (isBinary) return type(socket, shell, bytesOf(data));
    const message = told.safeParse(jsonOf(bytesOf(data).toString("utf8"))).data;
    if (message?.type === "resize") void shell.resize(message.columns, message.rows);
    if (message?.type !== "close") return;
    closed = true;
    socket.close(1000);
  });
  const stopAsking = askWhetherThere(socket);
  await gone;
  stopAsking();
  shell.detach(viewer);
  return closed || shell.hasEnded;
}

/** First what is known, then what comes; a byte that the client has is not sent again. */
function attach(socket: WebSocket, shell: Shell, { resumed, from, columns, rows }: Attached): Viewer {
  const say = (message: unknown, done?: () => void) => socket.send(JSON.stringify(message), done);
  let position = from;
  const viewer: Viewer = {
    show: async ({ offset, data }) => {
      // Lost with a server that had taken it and not sent it on.
      if (offset > position) say({ type: "skipped", offset });
      const news = data.subarray(Math.max(0, position - offset));
      position = Math.max(position, offset + data.length);
      if (news.length > 0) await send(socket, news);
    },
    ended: (code) => say({ type: "exit", code }, () => socket.close(1000)),
    replaced: () => {
      const message = "this shell is open in another window now";
      say({ type: "error", code: "not_allowed_now", message }, () => socket.close(1000));
    },
  };
  const known = shell.attach(viewer, from);
  const until = known.offset + known.data.length;
  say({ type: "opened", id: shell.id, resumed, offset: known.offset, until });
  position = until;
  if (known.data.length > 0) void send(socket, known.data);
  else if (resumed) void shell.repaint(columns, rows);
  shell.sayEnd(viewer);
  return viewer;
}

/** Resolves also where nobody takes it any more. */
function send(socket: WebSocket, data: Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.send(data, { binary: true }, () => resolve());
  });
}

function askWhetherThere(socket: WebSocket): () => void {
  let answered = true;
  socket.on("pong", () => {
    answered = true;
  });
  const asking = setInterval(() => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
  }, askEveryMs).unref();
  return () => clearInterval(asking);
}

/** A program that reads nothing holds its user back, and nothing is kept for it here. */
function type(socket: WebSocket, shell: Shell, keys: Buffer): void {
  if (!shell.type(keys, () => socket.resume())) socket.pause();
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
