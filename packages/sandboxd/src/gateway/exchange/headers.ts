import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { Redactor } from "./redactor.ts";

/** They belong to one connection, not to the message. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

/** Any name under which a client may say who it is. Also those that nobody uses yet: what is left out is not missed. */
const identifying =
  /auth|key|token|secret|cookie|credential|password|signature|bearer|jwt|account|organization|project|tenant/;
const forwarding = /^(?:proxy-|forwarded$|x-forwarded|x-real-ip|via$|cf-|sec-|origin$|referer$)/;

/** What we say ourselves. */
const ours = new Set(["host", "content-length", "accept-encoding", "expect"]);

const oauthBeta = "oauth-2025-04-20";

export interface RequestHead {
  /** As the client sent them. */
  headers: IncomingHttpHeaders;
  /** What the credential adds; it replaces whatever has the same name. */
  credential: Readonly<Record<string, string>>;
  host: string;
  /** undefined where the length of the body is not known. */
  contentLength: number | undefined;
}

/** The headers that go to the upstream: nothing of what the client said about who it is. */
export function requestHeaders({
  headers,
  credential,
  host,
  contentLength,
}: RequestHead): OutgoingHttpHeaders {
  const listed = connectionOptions(headers.connection);
  const sent: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (hopByHop.has(name) || listed.has(name) || ours.has(name)) continue;
    if (identifying.test(name) || forwarding.test(name)) continue;
    sent[name] = value;
  }
  const beta = betaList(sent["anthropic-beta"], credential);
  delete sent["anthropic-beta"];
  return {
    ...sent,
    ...credential,
    ...(beta ? { "anthropic-beta": beta } : {}),
    host,
    // What is compressed cannot be searched for the credential.
    "accept-encoding": "identity",
    ...(contentLength === undefined ? {} : { "content-length": contentLength }),
  };
}

/** The headers that go back: no cookies, and the credential nowhere. */
export function responseHeaders(headers: IncomingHttpHeaders, redactor: Redactor): OutgoingHttpHeaders {
  const listed = connectionOptions(headers.connection);
  const sent: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (hopByHop.has(name) || listed.has(name) || value === undefined) continue;
    if (name === "set-cookie" || name.startsWith("proxy-") || name === "alt-svc") continue;
    const safe = Array.isArray(value) ? value.map((each) => redactor.text(each)) : redactor.text(value);
    sent[redactor.text(name)] = safe;
  }
  return sent;
}

/** A bearer token of Anthropic's is taken only with this beta; an API key only without. */
function betaList(value: OutgoingHttpHeaders[string], credential: Readonly<Record<string, string>>): string {
  const told = Array.isArray(value) ? value.join(",") : String(value ?? "");
  const others = told
    .split(",")
    .map((beta) => beta.trim())
    .filter((beta) => beta !== "" && beta !== oauthBeta);
  const needed = credential["anthropic-beta"] === undefined ? [] : [oauthBeta];
  return [...others, ...needed].join(",");
}

function connectionOptions(connection: string | undefined): Set<string> {
  return new Set((connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
}
