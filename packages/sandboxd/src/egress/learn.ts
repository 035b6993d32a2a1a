import type { NetworkSettings } from "@opentiger/schema";
import { parseHost } from "./host/host.ts";
import { isThisMachine, type Target } from "./host/target.ts";
import type { LogRow } from "./log/entry.ts";
import { exactRule } from "./refusal.ts";

/** What a run needed of the network. */
export interface LearnedPolicy {
  policy: "deny";
  targets: Target[];
  /** In the form in which rules are stored. */
  allowHosts: string[];
  /** false when more hosts were reached than the log has rows for. */
  complete: boolean;
}

/**
 * The smallest list with which a run that went through under `allow` goes through under `deny`: every host and port
 * that was reached, exactly; of what was reached before `since`, nothing. Declared ports of the host and what goes
 * through the gateway need no rule.
 */
export function learn(rows: readonly LogRow[], settings: NetworkSettings, since = ""): LearnedPolicy {
  const reached = rows.filter((row) => row.allowed > 0 && (row.lastReached ?? row.lastSeen) >= since);
  const targets = reached.flatMap((row): Target[] => {
    const host = parseHost(row.host);
    if (!host.ok) return [];
    const declared = isThisMachine(host.value) && settings.hostPorts.includes(row.port);
    return declared ? [] : [{ host: host.value, port: row.port }];
  });
  targets.sort((one, other) => one.host.text.localeCompare(other.host.text) || one.port - other.port);
  return {
    policy: "deny",
    targets,
    allowHosts: [...new Set(targets.map(exactRule))],
    complete: reached.every((row) => parseHost(row.host).ok),
  };
}
