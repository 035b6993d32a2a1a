import { z } from "zod";
import { ServerError } from "../errors.ts";
import { highestPort, type ListenAddress } from "./listen-address.ts";

/** Who has our port is asked for so long who it is. */
const whoMs = 500;

const ownHealth = z.object({ status: z.literal("ok"), version: z.string() });

/** Another openTiger says so when it is asked; of others it is only known that they are there. */
export async function portTaken({ host, port }: ListenAddress, cause: unknown): Promise<ServerError> {
  const health = await fetch(`${urlOf({ host: reachable(host), port })}/health`, {
    signal: AbortSignal.timeout(whoMs),
  })
    .then((answer) => answer.json())
    .catch(() => undefined);
  const own = ownHealth.safeParse(health).success;
  const who = own ? "an openTiger with another state folder" : "another program";
  return new ServerError("port_taken", `${who} listens on port ${port}`, {
    remedy: `end it, or choose a free port: OPENTIGER_API_PORT=${port < highestPort ? port + 1 : port - 1}`,
    cause,
  });
}

export function urlOf({ host, port }: ListenAddress): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Every interface is no address to ask; who has the port on any of them is there on this machine's own. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}
