import { connect, createServer, type Socket } from "node:net";
import { atEnd } from "./at-end.ts";

/**
 * The engine under test behind a port of loopback. To a client it is an engine on another machine: no socket can be
 * shared with it, so sessions travel over the stdio of an exec. Returns the value for DOCKER_HOST.
 */
export async function tcpEngine(): Promise<string> {
  const path = (process.env["DOCKER_HOST"] ?? "unix:///var/run/docker.sock").replace(/^unix:\/\//, "");
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const engine = connect({ path, allowHalfOpen: true });
    for (const [from, to] of [[client, engine] as const, [engine, client] as const]) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return `tcp://127.0.0.1:${address.port}`;
}
