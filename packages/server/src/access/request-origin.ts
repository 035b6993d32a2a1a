import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { ServerError } from "../errors.ts";
import { hostName, isLoopback } from "./addresses.ts";

export interface KnownHosts {
  /** Whether only this machine can reach the server. */
  loopbackOnly: boolean;
  /** Names besides, under which the user reaches it. */
  names: readonly string[];
}

/**
 * Refuses a request under a name that is not ours: a page of somebody else's whose name was made to point here. An
 * address is no name, and nobody can make it point elsewhere.
 */
export function checkHost(headers: IncomingHttpHeaders, { loopbackOnly, names }: KnownHosts): void {
  const name = hostName(headers.host ?? "");
  if (name !== undefined) {
    if (name === "localhost" || name.endsWith(".localhost") || isLoopback(name)) return;
    if (!loopbackOnly && isIP(name) !== 0) return;
    if (names.includes(name)) return;
  }
  throw new ServerError("forbidden", "this server is not reached under that name", {
    remedy: "use http://localhost:PORT; to add a name, set OPENTIGER_ALLOWED_HOSTS and start it again",
  });
}

/**
 * Refuses what a page of another origin makes a browser send. Browsers say where a request comes from, by `Origin` and
 * by `Sec-Fetch-Site`; other programs say nothing, and are known by what they log in with.
 */
export function checkOrigin(
  { headers, method }: Pick<IncomingMessage, "headers" | "method">,
  page: "page" | "data",
): void {
  const { origin, host = "" } = headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) throw foreign();
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return;
  // A link that somebody follows may lead to a page of ours, which then asks for data itself.
  if (page === "page" && method === "GET" && headers["sec-fetch-mode"] === "navigate") return;
  throw foreign();
}

/** Whether who asks is on this machine itself, at both ends. */
export function isFromHere({ socket, headers }: IncomingMessage): boolean {
  return isLoopback(socket.remoteAddress) && isLoopback(socket.localAddress) && !cameThroughProxy(headers);
}

/** A proxy in front of us makes everybody look as if they were here. */
function cameThroughProxy(headers: IncomingHttpHeaders): boolean {
  return ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"].some(
    (name) => headers[name] !== undefined,
  );
}

function foreign(): ServerError {
  return new ServerError("forbidden", "a page of another origin may not ask this server", {
    remedy: "use the dashboard, or a program with a key",
  });
}
