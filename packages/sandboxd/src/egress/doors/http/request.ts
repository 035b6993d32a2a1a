import type { IncomingMessage } from "node:http";
import { type Parsed, parsed, refused } from "../../host/parsed.ts";
import { parseTarget, sameTarget, type Target } from "../../host/target.ts";
import { valuesOf } from "./headers.ts";

/** What a request asks for, after everything that two readers could disagree on was refused. */
export interface ForwardRequest {
  target: Target;
  /** In origin form: begins with a slash, or is the asterisk of OPTIONS. */
  path: string;
  body: "none" | "length" | "chunked";
}

export type RequestProblem = { status: 400 | 403; target: Target | undefined; reason: string };

const httpPort = 80;

/** A request to a proxy, `GET http://host/path`. */
export function proxyRequest(request: IncomingMessage): ForwardRequest | RequestProblem {
  const match = /^http:\/\/([^/?#]*)([/?][^#]*)?$/i.exec(request.url ?? "");
  if (!match) return malformed("this is a proxy: it wants an http:// URL, or CONNECT for everything else");
  const target = wireTarget(match[1] ?? "", httpPort);
  if (!target.ok) return malformed(`the host of the URL ${target.reason}`);
  const rest = match[2] ?? "/";
  return checked(request, target.value, rest.startsWith("?") ? `/${rest}` : rest);
}

/** A request in a connection that is already for one host. */
export function originRequest(request: IncomingMessage, target: Target): ForwardRequest | RequestProblem {
  const url = request.url ?? "";
  if (url === "*" || url.startsWith("/")) return checked(request, target, url, "required");
  const absolute = proxyRequest(request);
  if ("status" in absolute || sameTarget(absolute.target, target)) return absolute;
  return mismatch(target);
}

/** `CONNECT host:port`. Some clients leave the port out of the Host header, old ones the header. */
export function connectRequest(request: IncomingMessage): { target: Target } | RequestProblem {
  const target = wireTarget(request.url ?? "");
  if (!target.ok) return malformed(`what CONNECT asks for ${target.reason}`);
  const hosts = valuesOf(request.rawHeaders, "host");
  if (hosts.length > 1) return malformed("there is more than one Host header");
  const named = hosts[0] === undefined ? target : wireTarget(hosts[0], target.value.port);
  return named.ok && sameTarget(named.value, target.value)
    ? { target: target.value }
    : mismatch(target.value);
}

function checked(
  request: IncomingMessage,
  target: Target,
  path: string,
  host: "required" | "optional" = "optional",
): ForwardRequest | RequestProblem {
  const hosts = valuesOf(request.rawHeaders, "host");
  if (hosts.length > 1) return malformed("there is more than one Host header");
  const needed = host === "required" || request.httpVersion !== "1.0";
  if (hosts[0] === undefined && needed) return malformed("there is no Host header");
  const named = hosts[0] === undefined ? parsed(target) : wireTarget(hosts[0], httpPort);
  if (!named.ok || !sameTarget(named.value, target)) return mismatch(target);
  const body = bodyOf(request);
  return typeof body === "string" ? { target, path, body } : body;
}

/** One way to tell where the body ends, or none. */
function bodyOf(request: IncomingMessage): ForwardRequest["body"] | RequestProblem {
  const lengths = valuesOf(request.rawHeaders, "content-length");
  const encodings = valuesOf(request.rawHeaders, "transfer-encoding");
  if (lengths.length + encodings.length > 1) return malformed("the length of the body is told twice");
  if (encodings[0] !== undefined) {
    return encodings[0].toLowerCase() === "chunked"
      ? "chunked"
      : malformed("Transfer-Encoding is not chunked");
  }
  if (lengths[0] === undefined) return "none";
  return /^\d+$/.test(lengths[0]) ? "length" : malformed("Content-Length is not a number");
}

/** HTTP carries host names in ASCII; what else stands there is not a name in any agreed encoding. */
function wireTarget(text: string, defaultPort?: number): Parsed<Target> {
  return /^[\x21-\x7e]*$/.test(text)
    ? parseTarget(text, defaultPort)
    : refused("contains a character no host name has");
}

function malformed(reason: string): RequestProblem {
  return { status: 400, target: undefined, reason };
}

function mismatch(target: Target): RequestProblem {
  return { status: 403, target, reason: "the Host header names another host" };
}
