import type { NetworkSettings } from "@opentiger/schema";
import type { Address } from "../host/address.ts";
import { type Parsed, parsed, refused } from "../host/parsed.ts";
import { type Cidr, cidrText, contains, parseCidr } from "./cidr.ts";
import { type HostRule, parseRule } from "./rule.ts";

/** bypass allows like allow, and opens a tunnel to a host although its credential is brokered. */
export type Effect = "block" | "allow" | "bypass";

export interface Rules {
  hosts: { effect: Effect; rule: HostRule }[];
  cidrs: { effect: Effect; cidr: Cidr }[];
}

/**
 * The user's rules of a sandbox. Block stands first, so that it wins among equals. Settings are stored in canonical
 * form; one that cannot be read was put there by hand, and then nobody knows what was meant to be blocked.
 */
export function readRules(settings: NetworkSettings): Parsed<Rules> {
  const rules: Rules = { hosts: [], cidrs: [] };
  for (const effect of ["block", "allow", "bypass"] as const) {
    for (const text of settings[`${effect}Hosts`]) {
      const rule = parseRule(text);
      if (!rule.ok) return refused(`unreadable rule ${effect}-host`);
      rules.hosts.push({ effect, rule: rule.value });
    }
    for (const text of settings[`${effect}Cidrs`]) {
      const cidr = parseCidr(text);
      if (!cidr.ok) return refused(`unreadable rule ${effect}-cidr`);
      rules.cidrs.push({ effect, cidr: cidr.value });
    }
  }
  return parsed(rules);
}

/** The user's range that speaks of this address. */
export function decideByCidr(rules: Rules, address: Address): { effect: Effect; rule: string } | undefined {
  const winner = rules.cidrs
    .filter(({ cidr }) => contains(cidr, address))
    .sort((one, other) => other.cidr.prefix - one.cidr.prefix)[0];
  return winner && { effect: winner.effect, rule: `${winner.effect}-cidr ${cidrText(winner.cidr)}` };
}
