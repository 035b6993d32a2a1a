import { connect, createServer, type ListenOptions, type Socket } from "node:net";
import { join } from "node:path";
import { atEnd } from "./at-end.ts";
import { temporaryFolder } from "./temporary-workspace.ts";

/**
 * The engine under test behind a port of loopback. To a client it is an engine on another machine: no socket can be
 * shared with it, so sessions travel over the stdio of an exec. Returns the value for DOCKER_HOST.
 */
export async function tcpEngine(): Promise<string> {
  const { port } = await forward({ port: 0, host: "127.0.0.1" }, () => {});
  return `tcp://127.0.0.1:${port}`;
}

/** The engine under test behind another socket; told the first line of each request before the engine hears of it. */
export async function watchedEngine(beforeRequest: (line: string) => void): Promise<string> {
  const path = join(temporaryFolder("ot-proxy-"), "docker.sock");
  await forward({ path }, beforeRequest);
  return `unix://${path}`;
}

async function forward(
  where: ListenOptions,
  beforeRequest: (line: string) => void,
): Promise<{ port: number }> {
  const path = (process.env["DOCKER_HOST"] ?? "unix:///var/run/docker.sock").replace(/^unix:\/\//, "");
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const engine = connect({ path, allowHalfOpen: true });
    client.on("data", (data: Buffer) => {
      const line = data.toString("latin1").split("\r\n", 1)[0] ?? "";
      if (line.endsWith(" HTTP/1.1")) beforeRequest(line);
    });
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
  await new Promise<void>((resolve) => void server.listen(where, resolve));
  atEnd(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  return { port: address === null || typeof address === "string" ? 0 : address.port };
}
