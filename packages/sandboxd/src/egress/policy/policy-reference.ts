import { BlockList, isIPv4, isIPv6 } from "node:net";
import type { NetworkSettings } from "@opentiger/schema";
import { balanced } from "./balanced.ts";

/**
 * A second reading of the policy, for tests only: rules become regular expressions over `host port` with a score, ranges
 * become Node's BlockList. It takes canonical rules and a canonical host. The two must agree on every verdict.
 */
export function referenceVerdict(
  settings: NetworkSettings,
  host: string,
  port: number,
  resolved: string,
): "allowed" | "blocked" {
  const candidates = [
    ...settings.blockHosts.map((rule) => ({ rule, allows: false, tie: 1 })),
    ...settings.allowHosts.map((rule) => ({ rule, allows: true, tie: 0 })),
    ...settings.bypassHosts.map((rule) => ({ rule, allows: true, tie: 0 })),
  ]
    .map((candidate) => ({
      ...candidate,
      score: scoreOf(candidate.rule),
      pattern: patternOf(candidate.rule),
    }))
    .filter(({ pattern }) => pattern.test(`${host} ${port}`));
  let best: (typeof candidates)[number] | undefined;
  for (const candidate of candidates) {
    const isBetter = !best || candidate.score > best.score;
    const winsTie = best && candidate.score === best.score && candidate.tie > best.tie;
    if (isBetter || winsTie) best = candidate;
  }
  if (best && !best.allows) return "blocked";
  if (inList(link, resolved)) return "blocked";
  if (best && !best.rule.startsWith("*")) return "allowed";
  const range = rangeVerdict(settings, resolved);
  const isLiteral = isIPv4(host) || isIPv6(host);
  if (!best && !(isLiteral && range === "allowed") && !openedByPolicy(settings, host, port)) return "blocked";
  return range ?? (inList(unroutable, resolved) ? "blocked" : "allowed");
}

function scoreOf(rule: string): number {
  const { host, port } = split(rule);
  const ported = port === undefined ? 0 : 0.5;
  if (!host.startsWith("*")) return 1000 + ported;
  return host.length + ported;
}

function patternOf(rule: string): RegExp {
  const { host, port } = split(rule);
  const escaped = host.replaceAll(/[.[\]:]/g, "\\$&");
  // A wildcard for everything below a domain is for names, and an address has no domain.
  const hostPattern = host === "*" ? "[^ ]+" : escaped.replace(/^\*/, "(?![0-9.]+ )[^ :]+");
  return new RegExp(`^${hostPattern} ${port ?? "[0-9]+"}$`);
}

function split(rule: string): { host: string; port: string | undefined } {
  const six = /^\[(.*)\]:([0-9]+)$/.exec(rule);
  if (six) return { host: six[1] ?? "", port: six[2] };
  if (isIPv6(rule)) return { host: rule, port: undefined };
  const [host = "", port] = rule.split(":");
  return { host, port };
}

function openedByPolicy(settings: NetworkSettings, host: string, port: number): boolean {
  if (settings.policy === "deny") return false;
  if (settings.policy !== "balanced") return true;
  return Object.values(balanced.groups).some((entries) =>
    entries.some((entry) => patternOf(entry).test(`${host} ${port}`)),
  );
}

function rangeVerdict(settings: NetworkSettings, address: string): "allowed" | "blocked" | undefined {
  const blocks = settings.blockCidrs.filter((cidr) => inList(listOf([cidr]), address)).map(prefixOf);
  const allows = [...settings.allowCidrs, ...settings.bypassCidrs]
    .filter((cidr) => inList(listOf([cidr]), address))
    .map(prefixOf);
  if (blocks.length + allows.length === 0) return undefined;
  return Math.max(-1, ...allows) > Math.max(-1, ...blocks) ? "allowed" : "blocked";
}

function prefixOf(cidr: string): number {
  return Number(cidr.slice(cidr.indexOf("/") + 1));
}

interface Ranges {
  ipv4: BlockList;
  ipv6: BlockList;
}

/** One list a family: a BlockList takes ::/0 to mean the IPv4 addresses too. */
function listOf(cidrs: readonly string[]): Ranges {
  const ranges: Ranges = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const cidr of cidrs) {
    const [address = "", prefix] = cidr.split("/");
    ranges[familyOf(address)].addSubnet(address, Number(prefix), familyOf(address));
  }
  return ranges;
}

function inList(ranges: Ranges, address: string): boolean {
  return ranges[familyOf(address)].check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv4(address) ? "ipv4" : "ipv6";
}

/** As the project's list of attacks has them, then what ranges.ts closes besides. */
const link = listOf([
  "169.254.0.0/16",
  "fe80::/10",
  "64:ff9b::a9fe:0/112",
  "2002:a9fe::/32",
  "::a9fe:0/112",
  "::ffff:0:a9fe:0/112",
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
]);
const unroutable = listOf([
  "10.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
  "0.0.0.0/8",
  "100.64.0.0/10",
  "192.0.0.0/24",
  "198.18.0.0/15",
  "224.0.0.0/3",
  "::/128",
  "64:ff9b::/96",
  "2002::/16",
  "ff00::/8",
  "::/96",
  "::ffff:0:0:0/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/32",
  "fec0::/10",
]);
