import { networkInterfaces } from "node:os";
import { type Address, parseAddress } from "../host/address.ts";
import { type Cidr, contains, parseCidr } from "./cidr.ts";

/** Addresses that are not of the public internet. sandboxd dials from the host, so they would be the host's. */
const closed = ranges([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "224.0.0.0/3",
  // Unspecified, loopback and the old way to wrap an IPv4 address.
  "::/96",
  "::ffff:0:0:0/96",
  // Translations of IPv4, public and local.
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/32",
  "2002::/16",
  "fc00::/7",
  "fec0::/10",
  "ff00::/8",
]);

/**
 * Link-local addresses, which no rule opens: there a cloud hands out the host's own credentials. With the ways to
 * spell them in IPv6, and the metadata services that have an IPv6 address of their own.
 */
const never = ranges([
  "169.254.0.0/16",
  "fe80::/10",
  "::a9fe:0/112",
  "::ffff:0:a9fe:0/112",
  "64:ff9b::a9fe:0/112",
  "2002:a9fe::/32",
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
]);

export function neverRange(address: Address): Cidr | undefined {
  return never.find((range) => contains(range, address));
}

export function closedRange(address: Address): Cidr | undefined {
  return closed.find((range) => contains(range, address));
}

/** Every address of this machine, asked anew each time: interfaces come and go. */
export function ownAddresses(): Address[] {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .flatMap((entry) => parseAddress(entry.address) ?? []);
}

function ranges(texts: string[]): Cidr[] {
  return texts.map((text) => {
    const cidr = parseCidr(text);
    if (!cidr.ok) throw new Error(`${text} ${cidr.reason}`);
    return cidr.value;
  });
}
