import type { Provider } from "./provider.ts";

/** One thing that may be asked of a model's API. What is not in the table cannot be asked. */
export interface Route {
  provider: Provider;
  method: "GET" | "POST" | "HEAD";
  /** Below the gateway, and compared as it is written: there is no second spelling of a path. */
  path: string;
  /** Below the upstream's URL. */
  upstreamPath: string;
  /** `none`: it opens the connection and needs no right. */
  credential: "needed" | "none";
  /** Whether tokens are used. */
  metered: boolean;
  /** Parameters that are handed on; others are left out. */
  query: readonly string[];
}

const asked = { credential: "needed", metered: false } as const;
const generates = { credential: "needed", metered: true } as const;
const page = ["limit", "after_id", "before_id"] as const;

/**
 * Everything else of these APIs is left out on purpose: with a login, some of it makes new API keys or reads the
 * account, and all of it is a way to take data out.
 */
const routes: readonly Route[] = [
  greeting("/anthropic"),
  greeting("/anthropic/"),
  { ...anthropic("POST", "/v1/messages"), ...generates, query: ["beta"] },
  { ...anthropic("POST", "/v1/messages/count_tokens"), ...asked, query: ["beta"] },
  { ...anthropic("GET", "/v1/models"), ...asked, query: ["beta", ...page] },
  { ...openai("POST", "/v1/responses"), ...generates, query: [] },
  { ...openai("POST", "/v1/chat/completions"), ...generates, query: [] },
  { ...openai("GET", "/v1/models"), ...asked, query: ["client_version"] },
  { ...chatgpt("POST", "/responses"), ...generates, query: [] },
  { ...chatgpt("GET", "/models"), ...asked, query: ["client_version"] },
];

export interface Matched {
  route: Route;
  /** The query that is handed on, with its question mark; empty without one. */
  search: string;
}

/** undefined for everything that is not in the table, in exactly this spelling. */
export function matchRoute(method: string | undefined, target: string | undefined): Matched | undefined {
  const [path, query = ""] = splitOnce(target ?? "", "?");
  const route = routes.find((each) => each.method === method && each.path === path);
  return route && { route, search: search(route, query) };
}

/** For the form of the answer to what was refused. */
export function providerOf(target: string | undefined): Provider | undefined {
  return routes.find(({ provider }) => target?.startsWith(`/${provider}/`))?.provider;
}

function search({ query: allowed }: Route, query: string): string {
  const kept = [...new URLSearchParams(query)].filter(([name]) => allowed.includes(name));
  return kept.length === 0 ? "" : `?${new URLSearchParams(kept)}`;
}

function splitOnce(text: string, at: string): [string, string?] {
  const index = text.indexOf(at);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function greeting(path: string): Route {
  return {
    provider: "anthropic",
    method: "HEAD",
    path,
    upstreamPath: "/",
    credential: "none",
    metered: false,
    query: [],
  };
}

type Place = Pick<Route, "provider" | "method" | "path" | "upstreamPath">;

function anthropic(method: Route["method"], path: string): Place {
  return { provider: "anthropic", method, path: `/anthropic${path}`, upstreamPath: path };
}

function openai(method: Route["method"], path: string): Place {
  return { provider: "openai", method, path: `/openai${path}`, upstreamPath: path };
}

function chatgpt(method: Route["method"], path: string): Place {
  return { provider: "chatgpt", method, path: `/chatgpt${path}`, upstreamPath: path };
}
