import { createServer } from "node:net";
import { CodedError } from "@opentiger/schema";
import { type ListenAddress, listenAddress, ServerClient } from "@opentiger/server/control";
import { type Check, fail, ok } from "./check.ts";

/** The one port of this machine that openTiger listens on. */
export const portCheck: Check = {
  name: "port",
  async look({ env }) {
    const address = addressOf(env);
    if (address instanceof CodedError) return [fail(address.message, address.remedy ?? "")];
    const { host, port } = address;
    const why = await listening(host, port);
    if (why === undefined) return [ok(`${host}:${port} is free for the server`)];
    const server = await new ServerClient(env).status().catch(() => undefined);
    if (server?.url && Number(new URL(server.url).port) === port)
      return [ok(`${host}:${port} is our server's`)];
    const taken = why === "EADDRINUSE" ? "another program listens there" : why;
    return [fail(`${host}:${port} cannot be had: ${taken}`, "set OPENTIGER_API_PORT to a free one")];
  },
};

function addressOf(env: NodeJS.ProcessEnv): ListenAddress | CodedError {
  try {
    return listenAddress(env);
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}

/** By trying; nobody can connect meanwhile and be answered. undefined: it can be had. */
function listening(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
