import { bracketedHost, type Host, parseHost } from "../host/host.ts";
import { type Parsed, parsed, refused } from "../host/parsed.ts";
import { isThisMachine, noPort, parsePort, parseTarget, type Target } from "../host/target.ts";

/**
 * A host rule: one host, one host where its address is public, everything below a domain, or everything; on one port or
 * on any.
 */
export type HostRule =
  | { kind: "exact"; host: Host; port: number | undefined }
  | { kind: "public"; host: Host; port: number | undefined }
  | { kind: "below"; domain: string; port: number | undefined }
  | { kind: "any"; port: number | undefined };

/** In front of a host: no name is followed by a colon and anything but a port. */
const publicMark = /^public:(?!\d+$)/i;

/**
 * `example.com`, `example.com:443`, `public:example.com`, `*.example.com` (any depth, not the root), `*.example.com:443`, `*`,
 * an address, or `localhost:PORT` for a service of this machine, which always needs its port.
 */
export function parseRule(text: string): Parsed<HostRule> {
  if (publicMark.test(text)) return parsePublic(text.replace(publicMark, ""));
  const wild = /^\*(?:\.([^*:]+))?(?::(.*))?$/s.exec(text);
  if (wild) return parseWildcard(wild[1], wild[2]);
  if (text.includes("*")) return refused("has a * elsewhere than at its start, as in *.example.com");
  const alone = parseHost(text);
  if (alone.ok) return exact(alone.value, undefined);
  const target = parseTarget(text);
  return target.ok ? exact(target.value.host, target.value.port) : refused(target.reason);
}

/** The canonical text: two rules are the same exactly when their texts are. */
export function ruleText(rule: HostRule): string {
  const port = rule.port === undefined ? "" : `:${rule.port}`;
  if (rule.kind === "any") return `*${port}`;
  if (rule.kind === "below") return `*.${rule.domain}${port}`;
  const mark = rule.kind === "public" ? "public:" : "";
  // Without a port an IPv6 address stands alone.
  return mark + (port === "" ? rule.host.text : bracketedHost(rule.host) + port);
}

export function matches(rule: HostRule, target: Target): boolean {
  if (rule.port !== undefined && rule.port !== target.port) return false;
  if (rule.kind === "any") return true;
  if (rule.kind !== "below") return rule.host.text === target.host.text;
  return target.host.kind === "name" && target.host.text.endsWith(`.${rule.domain}`);
}

/**
 * Orders rules: host and port, then host, then the longest wildcard, then `*`; a port decides between equals, and then
 * the rule that asks for no public address.
 * Negative when `one` is the more specific.
 */
export function bySpecificity(one: HostRule, other: HostRule): number {
  return weight(other) - weight(one);
}

function weight(rule: HostRule): number {
  const port = rule.port === undefined ? 0 : 1;
  if (rule.kind === "exact") return 10_001 + 2 * port;
  if (rule.kind === "public") return 10_000 + 2 * port;
  return rule.kind === "below" ? 2 * rule.domain.length + port : port;
}

function parseWildcard(domain: string | undefined, portText: string | undefined): Parsed<HostRule> {
  const port = portText === undefined ? undefined : parsePort(portText);
  if (portText !== undefined && port === undefined) return refused(noPort);
  if (domain === undefined) return parsed({ kind: "any", port });
  const host = parseHost(domain);
  if (!host.ok) return host;
  if (host.value.kind !== "name") return refused("puts a * in front of an address");
  return parsed({ kind: "below", domain: host.value.text, port });
}

function parsePublic(text: string): Parsed<HostRule> {
  const rule = parseRule(text);
  if (!rule.ok) return rule;
  if (rule.value.kind !== "exact")
    return refused("asks for a public address where a * never opens another one");
  const { host, port } = rule.value;
  if (isThisMachine(host)) return refused("asks for a public address of this machine");
  return parsed({ kind: "public", host, port });
}

function exact(host: Host, port: number | undefined): Parsed<HostRule> {
  if (!isThisMachine(host)) return parsed({ kind: "exact", host, port });
  if (port === undefined)
    return refused("needs a port: a service of this machine is opened as localhost:PORT");
  return parsed({ kind: "exact", host: { kind: "name", text: "localhost" }, port });
}
