import { isIPv4, isIPv6 } from "node:net";

/** An IP address as a number, so that ranges are arithmetic. */
export interface Address {
  version: 4 | 6;
  value: bigint;
}

/** ::ffff:0:0/96, by which IPv6 sockets speak of IPv4 addresses. */
const mappedPrefix = 0xffffn << 32n;

/** The canonical text of an IPv6 address, or of the IPv4 address that it only wraps. A zone is refused. */
export function canonicalIpv6(text: string): string | undefined {
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const value = ipv6Value(text);
  if (value >> 32n === mappedPrefix >> 32n) return ipv4Text(value & 0xffffffffn);
  return new URL(`http://[${text}]/`).hostname.slice(1, -1);
}

/** The address that a resolver or an interface told; undefined where it is none. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { version: 4, value: ipv4Value(text) };
  const canonical = canonicalIpv6(text.split("%", 1)[0] ?? "");
  if (canonical === undefined) return undefined;
  if (isIPv4(canonical)) return { version: 4, value: ipv4Value(canonical) };
  return { version: 6, value: ipv6Value(canonical) };
}

export function addressText(address: Address): string {
  if (address.version === 4) return ipv4Text(address.value);
  const groups = Array.from(
    { length: 8 },
    (_, index) => (address.value >> BigInt(112 - 16 * index)) & 0xffffn,
  );
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(":")}]/`).hostname.slice(1, -1);
}

function ipv4Value(text: string): bigint {
  return text.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function ipv4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
}

function ipv6Value(text: string): bigint {
  const [before = "", after] = text.split("::");
  const head = groupsOf(before);
  const tail = after === undefined ? [] : groupsOf(after);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0n);
  return [...head, ...zeros, ...tail].reduce((value, group) => (value << 16n) | group, 0n);
}

/** The 16-bit groups of one side of `::`; a dotted end counts as two. */
function groupsOf(text: string): bigint[] {
  if (text === "") return [];
  return text.split(":").flatMap((part) => {
    if (!part.includes(".")) return [BigInt(`0x${part}`)];
    const value = ipv4Value(part);
    return [value >> 16n, value & 0xffffn];
  });
}
