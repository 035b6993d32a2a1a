import { parseAddress } from "../host/address.ts";
import { isThisMachine } from "../host/target.ts";
import { closedRange, neverRange, ownAddresses } from "./ranges.ts";
import { type HostRule, parseRule, ruleText } from "./rule.ts";

/**
 * machine: a service of this machine. private: an address that is not of the public internet. everything: as good as every
 * host. host: one name, or those below it.
 */
export type RuleReach = "machine" | "private" | "everything" | "host";

/** What a host rule would open; undefined where it cannot be read. A name is not resolved for it. */
export function ruleReach(text: string): RuleReach | undefined {
  const rule = parseRule(text.trim());
  return rule.ok ? reachOf(rule.value) : undefined;
}

/** The same rule, which opens no address that is not public; as it is where it opens none anyway, or cannot be read. */
export function publicRule(text: string): string {
  const rule = parseRule(text.trim());
  return rule.ok && rule.value.kind === "exact" ? ruleText({ ...rule.value, kind: "public" }) : text;
}

function reachOf(rule: HostRule): RuleReach {
  if (rule.kind === "any") return "everything";
  if (rule.kind === "below") return rule.domain.includes(".") ? "host" : "everything";
  if (isThisMachine(rule.host)) return "machine";
  const address = rule.host.kind === "name" ? undefined : parseAddress(rule.host.text);
  if (!address) return "host";
  const own = ownAddresses().some(
    ({ version, value }) => version === address.version && value === address.value,
  );
  return own || neverRange(address) || closedRange(address) ? "private" : "host";
}
