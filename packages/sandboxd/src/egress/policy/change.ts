import { SandboxError } from "@opentiger/sandbox";
import { type NetworkPolicy, type NetworkSettings, networkPolicies } from "@opentiger/schema";
import type { Parsed } from "../host/parsed.ts";
import { cidrText, parseCidr } from "./cidr.ts";
import { parseRule, ruleText } from "./rule.ts";

/** What `docker sandbox network proxy` was told, in the words of its flags. */
export interface NetworkChange {
  policy?: string | undefined;
  allowHost?: readonly string[] | undefined;
  blockHost?: readonly string[] | undefined;
  bypassHost?: readonly string[] | undefined;
  allowCidr?: readonly string[] | undefined;
  blockCidr?: readonly string[] | undefined;
  bypassCidr?: readonly string[] | undefined;
}

/** Every connection looks at all rules of its sandbox. */
const mostRules = 1000;

const effects = ["allow", "block", "bypass"] as const;

/**
 * The settings after a change, with every rule in canonical form. A rule is in one list at a time: adding it to one
 * takes it out of the two others. What cannot be understood is refused as a whole, and nothing changes.
 */
export function applyChange(settings: NetworkSettings, change: NetworkChange): NetworkSettings {
  const next: NetworkSettings = structuredClone(settings);
  if (change.policy !== undefined) next.policy = policyNamed(change.policy);
  for (const effect of effects) {
    for (const text of change[`${effect}Host`] ?? []) {
      move(next, "Hosts", effect, canonical(text, `--${effect}-host`, canonicalRule));
    }
    for (const text of change[`${effect}Cidr`] ?? []) {
      move(next, "Cidrs", effect, canonical(text, `--${effect}-cidr`, canonicalCidr));
    }
  }
  return next;
}

function policyNamed(text: string): NetworkPolicy {
  const policy = networkPolicies.find((known) => known === text);
  if (policy) return policy;
  throw new SandboxError("usage", `${JSON.stringify(text)} is not a network policy`, {
    remedy: `use one of ${networkPolicies.join(", ")}`,
  });
}

function canonical(text: string, flag: string, parse: (text: string) => Parsed<string>): string {
  const rule = parse(text.trim());
  if (rule.ok) return rule.value;
  throw new SandboxError("usage", `${flag} ${JSON.stringify(text)} ${rule.reason}`, {
    remedy: flag.endsWith("host")
      ? "write example.com, example.com:443, public:example.com, *.example.com, *, an address, or localhost:PORT"
      : "write a range like 10.0.0.0/8 or fc00::/7",
  });
}

function canonicalRule(text: string): Parsed<string> {
  const rule = parseRule(text);
  return rule.ok ? { ok: true, value: ruleText(rule.value) } : rule;
}

function canonicalCidr(text: string): Parsed<string> {
  const cidr = parseCidr(text);
  return cidr.ok ? { ok: true, value: cidrText(cidr.value) } : cidr;
}

function move(
  settings: NetworkSettings,
  kind: "Hosts" | "Cidrs",
  to: (typeof effects)[number],
  rule: string,
): void {
  for (const effect of effects) {
    settings[`${effect}${kind}`] = settings[`${effect}${kind}`].filter((known) => known !== rule);
  }
  const list = settings[`${to}${kind}`];
  if (list.length >= mostRules) {
    throw new SandboxError("usage", `a sandbox has at most ${mostRules} rules of a kind`, {
      remedy: `use a wildcard instead of single hosts`,
    });
  }
  list.push(rule);
}
