import { createServer } from "node:net";
import { ServerClient } from "@opentiger/server/control";
import { type Check, fail, ok } from "./check.ts";

const usualPort = 4301;

/** The one port of this machine that openTiger listens on. */
export const portCheck: Check = {
  name: "port",
  async look({ env }) {
    const host = env["OPENTIGER_API_HOST"] || "127.0.0.1";
    const written = env["OPENTIGER_API_PORT"];
    const port = Number(written || usualPort);
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      return [fail(`OPENTIGER_API_PORT=${written} is not a port`, "set it to a number from 1 to 65535")];
    const why = await listening(host, port);
    if (why === undefined) return [ok(`${host}:${port} is free for the server`)];
    const server = await new ServerClient(env).status().catch(() => undefined);
    if (server?.url && Number(new URL(server.url).port) === port)
      return [ok(`${host}:${port} is our server's`)];
    const taken = why === "EADDRINUSE" ? "another program listens there" : why;
    return [fail(`${host}:${port} cannot be had: ${taken}`, "set OPENTIGER_API_PORT to a free one")];
  },
};

/** By trying; nobody can connect meanwhile and be answered. undefined: it can be had. */
function listening(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
