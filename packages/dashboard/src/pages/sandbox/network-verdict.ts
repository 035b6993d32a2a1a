import type { NetworkRow } from "../../api/sandbox-network.ts";

export type Verdict = "allowed" | "blocked" | "failed";

/** Of the rule that decided last: these let it through. Whatever else did not. */
const lets = /^(?:allow|bypass|balanced |policy (?:allow|open)|host port)/;

export function verdictOf({ rule, blocked, failed, allowed }: NetworkRow): Verdict {
  if (blocked > 0 && !lets.test(rule)) return "blocked";
  return failed > 0 && allowed === 0 ? "failed" : "allowed";
}

/** Allows this host on this port, and nothing else. */
export function ruleFor({ host, port }: Pick<NetworkRow, "host" | "port">): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** What stands for many hosts, or for none, cannot be allowed by its name. */
export function canAllow({ host, port }: Pick<NetworkRow, "host" | "port">): boolean {
  return !host.startsWith("(") && port > 0;
}
