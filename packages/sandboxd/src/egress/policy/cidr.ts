import { type Address, addressText, parseAddress } from "../host/address.ts";
import { type Parsed, parsed, refused } from "../host/parsed.ts";

/** A range of addresses, with the bits behind the prefix at zero. */
export interface Cidr {
  version: 4 | 6;
  value: bigint;
  prefix: number;
}

/** `10.0.0.0/8`, `fc00::/7`, or one address alone. Bits behind the prefix are dropped. */
export function parseCidr(text: string): Parsed<Cidr> {
  const match = /^([0-9a-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text);
  const address = match ? parseAddress(match[1] ?? "") : undefined;
  if (!match || !address) return refused("is not an address range like 10.0.0.0/8 or fc00::/7");
  const written = (match[1] ?? "").includes(":") ? 128 : 32;
  // A mapped IPv4 range is the IPv4 range; one that begins above the mapping would be neither.
  const prefix = (match[2] === undefined ? written : Number(match[2])) - (written - bits(address.version));
  if (prefix < 0 || prefix > bits(address.version))
    return refused("has a prefix that does not fit its address");
  return parsed({ version: address.version, value: masked(address.value, address.version, prefix), prefix });
}

export function cidrText(cidr: Cidr): string {
  return `${addressText(cidr)}/${cidr.prefix}`;
}

export function contains(cidr: Cidr, address: Address): boolean {
  return cidr.version === address.version && masked(address.value, cidr.version, cidr.prefix) === cidr.value;
}

function masked(value: bigint, version: 4 | 6, prefix: number): bigint {
  const rest = BigInt(bits(version) - prefix);
  return (value >> rest) << rest;
}

function bits(version: 4 | 6): number {
  return version === 4 ? 32 : 128;
}
