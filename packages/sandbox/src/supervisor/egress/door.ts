import { createServer, type Server, type Socket } from "node:net";
import type { EgressOpening } from "@opentiger/schema";
import { join } from "./join.ts";
import type { WayOut } from "./way-out.ts";

/** More than a busy build has open; a program that opens them without end fills nothing but this. */
const mostConnections = 1024;

/** For what was sent and is not read any more, so that the answer is not lost with it. */
const lingerMs = 2_000;

const nobodyThere =
  "sandboxd is not running: this sandbox has no network. On the host, see `opentiger sandboxd status`.\n";

/** Hands what comes in at the doors to the way out. All parsing and every decision is outside. */
export class Porter {
  readonly #wayOut: WayOut;
  #connections = 0;

  constructor(wayOut: WayOut) {
    this.#wayOut = wayOut;
  }

  /** Listens on one port of the loopback. Rejects when it cannot be had. */
  openDoor(address: string, port: number, opening: EgressOpening): Promise<Server> {
    return new Promise((resolve, reject) => {
      const server = createServer(
        { allowHalfOpen: true, noDelay: true },
        (socket) => void this.#take(socket, opening),
      );
      server.once("error", reject);
      server.listen(port, address, () => {
        server.off("error", reject);
        server.on("error", () => {});
        resolve(server);
      });
    });
  }

  async #take(socket: Socket, opening: EgressOpening): Promise<void> {
    socket.on("error", () => {});
    if (this.#connections >= mostConnections) return void socket.destroy();
    this.#connections += 1;
    socket.once("close", () => {
      this.#connections -= 1;
    });
    try {
      const outside = await this.#wayOut.open(opening);
      if (socket.destroyed) outside.destroy();
      else join(socket, outside);
    } catch {
      if (opening.kind === "proxy") sayNobodyThere(socket);
      else socket.destroy();
    }
  }
}

function sayNobodyThere(socket: Socket): void {
  socket.end(
    [
      "HTTP/1.1 503 Service Unavailable",
      "Content-Type: text/plain",
      `Content-Length: ${nobodyThere.length}`,
      "Connection: close",
      "",
      nobodyThere,
    ].join("\r\n"),
  );
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
}
