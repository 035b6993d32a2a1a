import { bracketedHost, type Host, parseHost } from "./host.ts";
import { type Parsed, parsed, refused } from "./parsed.ts";

/** Where a connection wants to go. */
export interface Target {
  host: Host;
  port: number;
}

export const noPort = "has no port between 1 and 65535";

/**
 * `host:port`, as CONNECT, the Host header and absolute URLs have it. Without a port it is the given one; without
 * that either, it is refused. An IPv6 address needs brackets here, or its end could be read as the port.
 */
export function parseTarget(text: string, defaultPort?: number): Parsed<Target> {
  const match = /^(\[[^\]]*\]|[^:[\]]*)(?::(.*))?$/s.exec(text);
  if (!match) return refused("is not a host and a port");
  const host = parseHost(match[1] ?? "");
  if (!host.ok) return host;
  if (match[2] === undefined && defaultPort === undefined) return refused("has no port");
  const port = match[2] === undefined ? defaultPort : parsePort(match[2]);
  return port === undefined ? refused(noPort) : parsed({ host: host.value, port });
}

/** Decimal without a leading zero, so that a port too has one spelling. */
export function parsePort(text: string): number | undefined {
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

export function targetText(target: Target): string {
  return `${bracketedHost(target.host)}:${target.port}`;
}

export function sameTarget(one: Target, other: Target): boolean {
  return one.host.text === other.host.text && one.port === other.port;
}

/** The names of the machine on which sandboxd runs: no resolver is asked for them. */
export function isThisMachine(host: Host): boolean {
  return host.text === "host.docker.internal" || host.text === "localhost";
}
