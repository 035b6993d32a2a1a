import { EventEmitter, on } from "node:events";
import { SandboxError } from "@opentiger/sandbox";
import type { NetworkLogEvent, NetworkLogRow } from "../api.ts";
import { type LearnedPolicy, learn } from "../egress/learn.ts";
import type { EgressLog } from "../egress/log/egress-log.ts";
import type { Daemon } from "./daemon.ts";

/** The log of one sandbox or of all, the latest first. */
export function networkRows(daemon: Daemon, log: EgressLog, name: string | undefined): NetworkLogRow[] {
  daemon.count();
  const chosen = name === undefined ? daemon.sandboxes : [daemon.find(name)];
  return chosen
    .flatMap(({ record }) => log.rows(record.id).map((row) => ({ sandbox: record.name, ...row })))
    .toSorted((left, right) => right.lastSeen.localeCompare(left.lastSeen));
}

/** What a sandbox's work needed of the network, from its log. */
export function learnedOf(
  daemon: Daemon,
  log: EgressLog,
  name: string,
  since: string | undefined,
): LearnedPolicy {
  daemon.count();
  const { id, network } = daemon.find(name).record;
  if (network.policy !== "open") return learn(log.rows(id), network, since);
  throw new SandboxError(
    "unsupported",
    `${name} is open: what it reaches is not seen, so nothing is learned`,
    {
      remedy: `docker sandbox network proxy ${name} --policy allow, and then let it do its work`,
    },
  );
}

/** Whoever reads too slowly misses events: the log itself has them. */
const mostWaiting = 10_000;

/** What happens from now on, until the signal. */
export async function* networkEvents(
  daemon: Daemon,
  log: EgressLog,
  name: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<NetworkLogEvent> {
  const waiting: NetworkLogEvent[] = [];
  const bell = new EventEmitter();
  const names = (id: string): string =>
    daemon.sandboxes.find(({ record }) => record.id === id)?.record.name ?? id;
  const chosen = name === undefined ? undefined : daemon.find(name).record.id;
  const stop = log.subscribe(chosen, ({ sandboxId, ...event }) => {
    if (waiting.length < mostWaiting) waiting.push({ sandbox: names(sandboxId), ...event });
    bell.emit("ring");
  });
  try {
    const rings = on(bell, "ring", { signal });
    while (!signal.aborted) {
      yield* waiting.splice(0);
      if (waiting.length === 0) await rings.next();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stop();
  }
}
