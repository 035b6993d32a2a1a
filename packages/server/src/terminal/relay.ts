import { exitCode, type Terminal } from "@opentiger/sandbox";
import type { RawData, WebSocket } from "ws";
import { z } from "zod";

/** More than a screen that is on its way; then the program waits, as it would for a slow terminal. */
const maxWaitingBytes = 256 * 1024;

const size = z.object({
  type: z.literal("resize"),
  columns: z.number().int().min(1).max(1_000),
  rows: z.number().int().min(1).max(1_000),
});

/**
 * Connects a WebSocket with a terminal until one of them ends. Binary messages are bytes of the terminal, in both directions;
 * text is JSON: `resize` from the client, `exit` to it. Who goes away ends what runs on the terminal, as closing a
 * window does.
 */
export async function relayTerminal(socket: WebSocket, terminal: Terminal): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.once("error", () => resolve());
  });
  terminal.stream.on("error", () => {});
  terminal.stream.on("data", (data: Buffer) => {
    socket.send(data, { binary: true }, () => {
      if (socket.bufferedAmount < maxWaitingBytes) terminal.stream.resume();
    });
    if (socket.bufferedAmount >= maxWaitingBytes) terminal.stream.pause();
  });
  socket.on("message", (data, isBinary) => {
    if (isBinary) type(socket, terminal, bytesOf(data));
    else resize(terminal, bytesOf(data).toString("utf8"));
  });
  const ended = terminal.exit.then(
    (exit) => ({ type: "exit", code: exitCode(exit) }),
    () => ({ type: "exit", code: null }),
  );
  const last = await Promise.race([ended, gone]);
  if (!last) return terminal.kill("SIGHUP").catch(() => {});
  socket.send(JSON.stringify(last), () => socket.close(1000));
  await gone;
}

/** A program that reads nothing holds its user back, and nothing is kept for it here. */
function type(socket: WebSocket, terminal: Terminal, keys: Buffer): void {
  if (terminal.stream.write(keys)) return;
  socket.pause();
  terminal.stream.once("drain", () => socket.resume());
}

function resize(terminal: Terminal, text: string): void {
  const asked = size.safeParse(parse(text)).data;
  if (asked) void terminal.resize(asked.columns, asked.rows).catch(() => {});
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
