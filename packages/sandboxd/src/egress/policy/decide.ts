import { alwaysDenied } from "@opentiger/sandbox";
import type { NetworkSettings } from "@opentiger/schema";
import { parseAddress } from "../host/address.ts";
import { isThisMachine, type Target } from "../host/target.ts";
import { balancedRules } from "./balanced.ts";
import { bySpecificity, type HostRule, matches, ruleText } from "./rule.ts";
import { decideByCidr, type Effect, type Rules, readRules } from "./rules.ts";

/**
 * How closely the rule that allowed a target names it. A tunnel whose bytes do not tell whom they are for is let through
 * only by a rule that does: by host and port, or for an address also by host or range alone.
 */
export const naming = { none: 0, host: 1, hostAndPort: 2 } as const;
export type Naming = (typeof naming)[keyof typeof naming];

/** What the policy says of a host and port, before any name is resolved. */
export interface Decision {
  verdict: "allowed" | "blocked";
  /** As the user reads it: `allow-host example.com:443`, `balanced *.npmjs.org`, `policy deny`. */
  rule: string;
  /** No rule of the user's matched: a preset or the policy itself decided. */
  byDefault: boolean;
  /** An exact host rule of the user's: the address may be a private one. Never a wildcard, `public:` or a preset. */
  skipsRanges: boolean;
  naming: Naming;
  bypass: boolean;
}

/**
 * Host rules first, the most specific wins: host and port, host, longest wildcard, `*`; among equals block wins.
 * Then the preset, then the policy. Names are not resolved here: one that is not allowed never reaches a resolver.
 */
export function decide(settings: NetworkSettings, target: Target): Decision {
  const rules = readRules(settings);
  if (!rules.ok) return { ...byPolicy("blocked", rules.reason), byDefault: false };
  if (target.host.text === alwaysDenied.host)
    return { ...byPolicy("blocked", "self-test"), byDefault: false };
  if (isThisMachine(target.host)) return decideThisMachine(settings, rules.value, target.port);
  const winner = mostSpecific(rules.value.hosts, target);
  if (winner) return byRule(winner.effect, winner.rule);
  return decideAddressLiteral(rules.value, target) ?? decideByPolicy(settings, target);
}

/** A port of this machine is open when it was declared or a `localhost:PORT` rule says so, under every policy. */
function decideThisMachine(settings: NetworkSettings, rules: Rules, port: number): Decision {
  const target: Target = { host: { kind: "name", text: "localhost" }, port };
  const named = rules.hosts.filter(({ rule }) => rule.kind === "exact");
  const winner = mostSpecific(named, target);
  if (winner) return byRule(winner.effect, winner.rule);
  if (!settings.hostPorts.includes(port)) return byPolicy("blocked", "not a declared port of the host");
  return { ...byPolicy("allowed", `host port ${port}`), naming: naming.hostAndPort, skipsRanges: true };
}

function mostSpecific(hosts: Rules["hosts"], target: Target): { effect: Effect; rule: HostRule } | undefined {
  // The sort is stable: block, which stands first, stays in front of its equals.
  return hosts
    .filter(({ rule }) => matches(rule, target))
    .sort((one, other) => bySpecificity(one.rule, other.rule))[0];
}

function byRule(effect: Effect, rule: HostRule): Decision {
  return {
    verdict: effect === "block" ? "blocked" : "allowed",
    rule: `${effect}-host ${ruleText(rule)}`,
    byDefault: false,
    skipsRanges: effect !== "block" && rule.kind === "exact",
    naming: namingOf(rule),
    bypass: effect === "bypass",
  };
}

/** An address that no host rule speaks of is opened by a range, also under `deny`. */
function decideAddressLiteral(rules: Rules, target: Target): Decision | undefined {
  const address = target.host.kind === "name" ? undefined : parseAddress(target.host.text);
  const ruling = address && decideByCidr(rules, address);
  if (!ruling) return undefined;
  return {
    ...byPolicy(ruling.effect === "block" ? "blocked" : "allowed", ruling.rule),
    byDefault: false,
    naming: naming.host,
    bypass: ruling.effect === "bypass",
  };
}

function decideByPolicy(settings: NetworkSettings, target: Target): Decision {
  if (settings.policy === "deny") return byPolicy("blocked", "policy deny");
  const preset = balancedRules.filter((rule) => matches(rule, target)).sort(bySpecificity)[0];
  if (settings.policy === "balanced") {
    return preset ? byPreset(preset) : byPolicy("blocked", "policy balanced");
  }
  // Where everything public is allowed, git over ssh to the well-known hosts is too.
  return preset?.kind === "exact" && preset.port !== undefined
    ? byPreset(preset)
    : byPolicy("allowed", `policy ${settings.policy}`);
}

function byPreset(rule: HostRule): Decision {
  return {
    ...byPolicy("allowed", `balanced ${ruleText(rule)}`),
    naming: namingOf(rule),
  };
}

function byPolicy(verdict: Decision["verdict"], rule: string): Decision {
  return { verdict, rule, byDefault: true, skipsRanges: false, naming: naming.none, bypass: false };
}

function namingOf(rule: HostRule): Naming {
  if (rule.kind !== "exact" && rule.kind !== "public") return naming.none;
  return rule.port === undefined ? naming.host : naming.hostAndPort;
}
