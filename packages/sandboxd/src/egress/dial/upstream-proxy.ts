import { parseAddress } from "../host/address.ts";
import type { Target } from "../host/target.ts";
import { contains, parseCidr } from "../policy/cidr.ts";

/** The proxy through which this machine itself reaches the outside. */
export interface UpstreamProxy {
  host: string;
  port: number;
  /** The value of Proxy-Authorization; undefined where the URL has no credentials. */
  authorization: string | undefined;
}

/** A tunnel carries any bytes; a request is plain HTTP, which such proxies want to see as that. */
export type Carriage = "tunnel" | "request";

/**
 * Which proxy of the host's environment a target goes through: HTTPS_PROXY for tunnels, HTTP_PROXY for requests,
 * lower case first, none for what NO_PROXY names. A setting that cannot be used is an error: going out past it would
 * not be what was asked for.
 */
export function upstreamProxy(
  env: NodeJS.ProcessEnv,
  target: Target,
  carriage: Carriage,
): UpstreamProxy | undefined {
  const text = setting(env, carriage === "tunnel" ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (!text || isExcepted(setting(env, "NO_PROXY"), target)) return undefined;
  return parseProxy(text);
}

function setting(env: NodeJS.ProcessEnv, name: string): string {
  return (env[name.toLowerCase()] || env[name] || "").trim();
}

function parseProxy(text: string): UpstreamProxy {
  const withScheme = /^[a-z0-9+.-]+:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (url?.protocol !== "http:") throw new Error("the host's proxy setting is not an http:// URL");
  const user = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || 80),
    authorization:
      user || password ? `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` : undefined,
  };
}

/** `*`, a name with all that is below it, `.name`, `name:port`, an address or a range; commas or spaces between. */
function isExcepted(exceptions: string, target: Target): boolean {
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => entry === "*" || matchesRange(entry, target) || matchesName(entry, target));
}

function matchesRange(entry: string, target: Target): boolean {
  const address = target.host.kind === "name" ? undefined : parseAddress(target.host.text);
  const cidr = parseCidr(entry);
  return address !== undefined && cidr.ok && contains(cidr.value, address);
}

function matchesName(entry: string, target: Target): boolean {
  const match = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry);
  if (!match || (match[2] !== undefined && Number(match[2]) !== target.port)) return false;
  const name = match[1] ?? "";
  return target.host.text === name || (target.host.kind === "name" && target.host.text.endsWith(`.${name}`));
}
