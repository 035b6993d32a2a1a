import { isIPv4 } from "node:net";
import { domainToASCII } from "node:url";
import { canonicalIpv6 } from "./address.ts";
import { type Parsed, parsed, refused } from "./parsed.ts";

/** A host in its one canonical spelling. Two hosts are the same exactly when their texts are. */
export interface Host {
  kind: "name" | "ipv4" | "ipv6";
  /** Lower-case ASCII; a name without its final dot, an IPv6 address without brackets. */
  text: string;
}

/** The limits of the DNS. */
const longestName = 253;
const longestLabel = 63;

/** Longer text than any spelling of a name needs; it is not looked at. */
const longestText = 1024;

/**
 * The only way from untrusted text to a host: what is decided on, resolved, compared and logged is its result and
 * never the text. Whatever two programs could read differently is refused: an IPv4 address in octal, hexadecimal,
 * decimal or short form, a zone, userinfo, an escape, white space, a control character.
 */
export function parseHost(text: string): Parsed<Host> {
  if (text.length > longestText) return refused("is too long");
  if (text.startsWith("[") || text.endsWith("]")) return bracketed(text);
  if (text.includes(":")) return ipv6(text);
  // ASCII is checked before Unicode is mapped: the mapping itself would decode escapes and cut at a slash.
  if (/[^a-z0-9._\-\u0080-\u{10ffff}]/iu.test(text)) return refused("contains a character no host name has");
  if (/^[\0-\x7f]*$/.test(text)) return ascii(text.toLowerCase());
  const mapped = ascii(domainToASCII(text));
  return mapped.ok && mapped.value.kind !== "name" ? refused("is an address in other letters") : mapped;
}

/** How a host stands in front of a port. */
export function bracketedHost(host: Host): string {
  return host.kind === "ipv6" ? `[${host.text}]` : host.text;
}

function bracketed(text: string): Parsed<Host> {
  if (!text.startsWith("[") || !text.endsWith("]")) return refused("has unbalanced brackets");
  return ipv6(text.slice(1, -1));
}

/** An IPv4 address in IPv6 clothes reaches the IPv4 host, so that is what it is. */
function ipv6(text: string): Parsed<Host> {
  const address = canonicalIpv6(text);
  if (address === undefined) return refused("is not an IPv6 address");
  return parsed({ kind: isIPv4(address) ? "ipv4" : "ipv6", text: address });
}

function ascii(text: string): Parsed<Host> {
  if (isIPv4(text)) return parsed({ kind: "ipv4", text });
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  if (name.length > longestName) return refused("is too long");
  const labels = name.split(".");
  const reason = labels.map(labelProblem).find((problem) => problem !== undefined);
  if (reason) return refused(reason);
  // `127.1`, `0x7f000001` and `2130706433` are addresses to some resolvers and names to others.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "")) return refused("ends in a number");
  return parsed({ kind: "name", text: name });
}

function labelProblem(label: string): string | undefined {
  if (label === "") return "has an empty part";
  if (label.length > longestLabel) return "has a part that is too long";
  if (/[^a-z0-9_-]/.test(label)) return "contains a character no host name has";
  return label.startsWith("-") || label.endsWith("-") ? "has a part with a hyphen at its edge" : undefined;
}
