import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { HostCallers } from "./callers.ts";

/** The port of host mode: the one from before where it is free, else any. */
export async function listenOnLoopback(server: Server, callers: HostCallers): Promise<{ port: number }> {
  const before = callers.port;
  const port = (before === null ? undefined : await listenOn(server, before)) ?? (await listenOn(server, 0));
  if (port === undefined) throw new Error("no port of the loopback is free");
  callers.port = port;
  return { port };
}

/** What anybody else on this machine is told there. */
export function unknownCaller(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.writeHead(401, { "content-type": "application/json" });
  const message =
    "openTiger: this is the gateway of the sandboxes on this host, and the token is not one of theirs.";
  response.end(JSON.stringify({ type: "error", error: { type: "authentication_error", message } }));
}

/** undefined where the port is in use. */
function listenOn(server: Server, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      server.off("listening", onListening);
      if (error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    };
    const onListening = () => {
      server.off("error", onError);
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : undefined);
    };
    server.once("error", onError).once("listening", onListening).listen(port, "127.0.0.1");
  });
}
