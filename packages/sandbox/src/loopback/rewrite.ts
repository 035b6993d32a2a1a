import { isIPv6 } from "node:net";
import { doorAddress, doorPorts, hostDoor } from "../protocol/doors.ts";
import { defaultPort } from "./default-port.ts";

export interface Rewritten {
  env: Record<string, string>;
  /** The ports of this machine's loopback that the variables lead to. */
  hostPorts: number[];
}

/** `jdbc:postgresql://` has two; the one before the slashes says what is spoken. */
const beginning = /^((?:[a-z][a-z0-9+.-]*:)*?)([a-z][a-z0-9+.-]*):\/\//i;

/** The next URL of a list. One behind a `?` or `#` is part of the one before. */
const next = /[\s,;](?=(?:[a-z][a-z0-9+.-]*:)+\/\/)/i;

/**
 * Variables whose value is a URL of this machine's loopback, or a list of URLs, lead to the same service from inside a
 * sandbox: the host becomes `host.docker.internal`, and nothing else is changed by a single byte. What is no URL stays.
 */
export function rewriteLoopback(env: Readonly<Record<string, string>>): Rewritten {
  const ports = new Set<number>();
  const entries = Object.entries(env).map(([name, value]) => [name, rewriteList(value, ports)] as const);
  return { env: Object.fromEntries(entries), hostPorts: [...ports].toSorted((a, b) => a - b) };
}

function rewriteList(value: string, ports: Set<number>): string {
  if (!beginning.test(value)) return value;
  let rest = value;
  let done = "";
  for (;;) {
    const end = endOfUrl(rest);
    done += rewriteUrl(rest.slice(0, end), ports);
    if (end === rest.length) return done;
    done += rest.charAt(end);
    rest = rest.slice(end + 1);
  }
}

/** Where the separator before the next URL stands, or the value ends. */
function endOfUrl(text: string): number {
  const query = text.search(/[?#]/);
  const following = next.exec(query < 0 ? text : text.slice(0, query))?.index;
  return following ?? text.length;
}

function rewriteUrl(url: string, ports: Set<number>): string {
  const [head = "", , scheme = ""] = beginning.exec(url) ?? [];
  const [authority = ""] = /^[^/?#]*/.exec(url.slice(head.length)) ?? [];
  // Some read a backslash as the end of the host and some do not: it leads nowhere for certain.
  if (head === "" || authority.includes("\\")) return url;
  const hosts = authority.slice(authority.lastIndexOf("@") + 1);
  const before = url.slice(0, head.length + authority.length - hosts.length);
  const after = url.slice(head.length + authority.length);
  const rewritten = hosts.split(",").map((host) => rewriteHost(host, scheme, ports));
  return before + rewritten.join(",") + after;
}

/** One of the hosts of a URL, with its port; databases name several. */
function rewriteHost(text: string, scheme: string, ports: Set<number>): string {
  const [, host = "", given] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(text) ?? [];
  if (!isLoopback(host)) return text;
  const port = given ? Number(given) : defaultPort(scheme);
  if (port === undefined || port < 1 || port > 65_535 || isOwnDoor(host, port)) return text;
  ports.add(port);
  return hostDoor.name + text.slice(host.length);
}

function isLoopback(host: string): boolean {
  if (/^localhost\.?$/i.test(host) || /^127(?:\.\d{1,3}){1,3}$/.test(host)) return true;
  return host.startsWith("[") && isLoopbackV6(host.slice(1, -1));
}

/** In any of its spellings, and an IPv4 one in the clothes of IPv6. */
function isLoopbackV6(address: string): boolean {
  if (!isIPv6(address) || address.includes("%")) return false;
  const { hostname } = new URL(`http://[${address}]/`);
  return hostname === "[::1]" || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(hostname);
}

/** What we say ourselves, as in HTTP_PROXY, means the sandbox's own loopback. We never write `localhost` there. */
function isOwnDoor(host: string, port: number): boolean {
  return host === doorAddress && Object.values<number>(doorPorts).includes(port);
}
