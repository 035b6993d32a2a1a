import { isIP } from "node:net";
import { plainAddress } from "./peer.ts";

const loopback6 = `${"0".repeat(31)}1`;

/** Whether an address is of this machine alone. */
export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  const plain = plainAddress(address);
  return plain === loopback6 || (isIP(plain) === 4 && plain.startsWith("127."));
}

/** Whether a server that is bound to this can be reached from this machine alone. */
export function bindsLoopbackOnly(host: string): boolean {
  return host === "localhost" || isLoopback(host);
}

/** Of `localhost:4301`, `[::1]:4301` or `example.org`, the name alone, in small letters; undefined: it is none of these. */
export function hostName(header: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(header) ?? [];
  return (bracketed ?? plain)?.toLowerCase();
}
