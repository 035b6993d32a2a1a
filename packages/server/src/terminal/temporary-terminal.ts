import { once } from "node:events";
import { WebSocket } from "ws";
import { z } from "zod";

const openedShape = z.object({ id: z.string(), resumed: z.boolean(), offset: z.number() });

/** The shell that is to be found again, and how much of its output is there. */
export interface TerminalBack {
  id?: string;
  from?: number;
}

/** A terminal as a page has it, for a test. */
export async function temporaryTerminal(url: string, sandbox: string, back: TerminalBack = {}) {
  const query = Object.entries(back).map(([key, value]) => `${key}=${value}`);
  const address = `${url.replace("http", "ws")}/sandboxes/${sandbox}/terminal?${query.join("&")}`;
  const socket = new WebSocket(address);
  const said: string[] = [];
  let text = "";
  let received = 0;
  socket.on("message", (data: Buffer, isBinary) => {
    if (!isBinary) return said.push(data.toString());
    received += data.length;
    text += data.toString();
  });
  // Rejects where the connection is refused.
  await once(socket, "message");
  socket.on("error", () => {});
  const opened = openedShape.parse(JSON.parse(said[0] ?? ""));
  const say = (message: unknown) => socket.send(JSON.stringify(message));
  return {
    opened,
    text: () => text,
    said: () => said.join("\n"),
    offset: () => opened.offset + received,
    type: (keys: string) => socket.send(Buffer.from(keys)),
    say,
    end: () => say({ type: "close" }),
    cut: () => socket.terminate(),
  };
}
