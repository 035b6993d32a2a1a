import type { Duplex } from "node:stream";
import { isThisMachine, type Target } from "../host/target.ts";
import { naming } from "../policy/decide.ts";
import type { Refusal } from "../refusal.ts";
import type { EgressSandbox } from "../sandbox.ts";
import { farewell } from "../stream/farewell.ts";
import { flow, relay } from "../stream/relay.ts";
import { accessDenied } from "../tls/alert.ts";
import { checkServerName } from "../tls/server-name.ts";
import { type Sniffed, sniff } from "../tls/sniff.ts";
import type { OpenWay, Ways } from "../ways.ts";

/** How a door tells its client what became of the tunnel it asked for. */
export interface TunnelAnswers {
  opened(): void;
  refused(refusal: Refusal): void;
  failed(reason: string): void;
  /** Plain HTTP came: the door for it takes the stream, and the way that is already open. */
  http(way: OpenWay): void;
}

/**
 * How long a client may be silent where its first bytes decide. Nothing passes meanwhile, in either direction, so it
 * is generous to a client on a busy machine (docs/adr/0013-two-seconds-for-the-first-byte.md); one that waits for the server
 * to speak is cut after it.
 */
const silenceMs = 2000;

/**
 * A tunnel for bytes to a host and port. Where a rule names both, the server may speak at once; everywhere else not a
 * byte passes before the client's first ones were seen to be for that host.
 */
export async function tunnel(
  ways: Ways,
  sandbox: EgressSandbox,
  target: Target,
  stream: Duplex,
  answers: TunnelAnswers,
): Promise<void> {
  const way = await ways.open(sandbox, target, "tunnel");
  if (way.state === "refused") return answers.refused(way.refusal);
  if (way.state === "failed") return answers.failed(way.reason);
  const { link, socket, decision } = way;
  link.endsWith(stream);
  stream.once("close", () => {
    if (!stream.readableEnded || !stream.writableFinished) link.cut();
  });
  answers.opened();
  if (isThisMachine(target.host)) {
    ways.allowed(sandbox, link);
    return relay(stream, socket);
  }
  const named = decision.naming === naming.hostAndPort;
  link.needed = named ? naming.hostAndPort : naming.none;
  if (named) flow(socket, stream);
  const sniffed = await sniff(stream, named ? undefined : silenceMs);
  if (sniffed.kind === "http" && !named) return answers.http(way);
  // Opened ahead and not used: there is nothing to tell of it.
  if (sniffed.kind === "ended" && !named) return link.cut();
  const check = checkServerName(sandbox.name, target, asBytes(sniffed), decision.naming);
  if (!check.passed) {
    socket.destroy();
    ways.refused(sandbox, target, check.refusal);
    return farewell(stream, sniffed.kind === "tls" ? accessDenied : "");
  }
  link.needed = check.needed;
  ways.allowed(sandbox, link);
  if (!named) flow(socket, stream);
  flow(stream, socket);
}

/** In a tunnel where anything may pass, plain HTTP is anything. */
function asBytes(sniffed: Sniffed): Exclude<Sniffed, { kind: "http" }> {
  return sniffed.kind === "http" ? { kind: "other" } : sniffed;
}
