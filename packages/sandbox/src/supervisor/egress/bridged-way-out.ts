import { chmodSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { Mux } from "../../protocol/mux.ts";
import type { WayOut } from "./way-out.ts";

/**
 * For engines with which no folder can be shared: sandboxd comes through a bridge to this socket, and all connections
 * share it. Whoever comes last is asked; what runs over an older one may come to its end there.
 */
export async function bridgedWayOut(path: string): Promise<WayOut> {
  let newest: Mux | undefined;
  await listen(path, (socket) => {
    newest = new Mux(socket);
    newest.greet();
  });
  return {
    async open(opening) {
      if (!newest?.isOpen) throw new Error("nobody is there");
      return newest.open(JSON.stringify(opening));
    },
  };
}

/** Below a folder that only the supervisor can enter. */
function listen(path: string, take: (socket: Socket) => void): Promise<void> {
  rmSync(path, { force: true });
  return new Promise((resolve, reject) => {
    const server = createServer(take);
    server.once("error", reject);
    server.listen(path, () => {
      chmodSync(path, 0o600);
      resolve();
    });
  });
}
