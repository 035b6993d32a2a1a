import type { Duplex } from "node:stream";
import type { Target } from "../host/target.ts";
import type { EgressSandbox } from "../sandbox.ts";
import type { Ways } from "../ways.ts";
import { tunnel } from "./tunnel.ts";

/** A connection to host.docker.internal: a port of this machine, if it was declared. */
export async function hostDoor(
  ways: Ways,
  sandbox: EgressSandbox,
  port: number,
  stream: Duplex,
): Promise<void> {
  const target: Target = { host: { kind: "name", text: "host.docker.internal" }, port };
  const end = () => void stream.destroy();
  await tunnel(ways, sandbox, target, stream, { opened: () => {}, refused: end, failed: end, http: end });
}
