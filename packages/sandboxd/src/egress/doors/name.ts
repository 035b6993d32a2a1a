import type { Duplex } from "node:stream";
import { parseHost } from "../host/host.ts";
import type { Target } from "../host/target.ts";
import type { EgressSandbox } from "../sandbox.ts";
import { farewell } from "../stream/farewell.ts";
import { accessDenied } from "../tls/alert.ts";
import type { Ways } from "../ways.ts";
import type { HttpDoor } from "./http/http-door.ts";
import { tunnel } from "./tunnel.ts";

const httpPort = 80;

/**
 * A connection to the address that the sandbox's resolver made up for a name: the program knows of no proxy. On port
 * 80 it speaks HTTP, and hears a 403 when blocked; everywhere else it is expected to speak TLS, and hears an alert.
 */
export async function nameDoor(
  ways: Ways,
  http: HttpDoor,
  sandbox: EgressSandbox,
  opening: { host: string; port: number },
  stream: Duplex,
): Promise<void> {
  const host = parseHost(opening.host);
  if (!host.ok) {
    const why = `The name that was resolved ${host.reason}.`;
    ways.refused(sandbox, undefined, { rule: "invalid", why, remedy: undefined });
    return void stream.destroy();
  }
  const target: Target = { host: host.value, port: opening.port };
  if (target.port === httpPort) return http.accept({ sandbox, target }, stream);
  await tunnel(ways, sandbox, target, stream, {
    opened: () => {},
    refused: () => farewell(stream, accessDenied),
    failed: () => stream.destroy(),
    http: (spare) => http.accept({ sandbox, target, spare }, stream),
  });
}
