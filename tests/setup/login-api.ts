import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "./at-end.ts";
import { answerAsModel } from "./model-answers.ts";

/** The models' APIs and their token endpoints, on loopback: who is not in `good` is refused, as there. */
export interface LoginApi {
  url: string;
  /** Tokens and keys that are answered. */
  good: Set<string>;
  /** Refresh tokens, and what each is exchanged for. */
  renewals: Map<string, string>;
  /** `METHOD path`, in the order in which they came. */
  asked: string[];
  /** Where a sandboxd and its agents find all of this. */
  env: NodeJS.ProcessEnv;
}

export async function loginApi(): Promise<LoginApi> {
  const api: LoginApi = { url: "", good: new Set(), renewals: new Map(), asked: [], env: {} };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => answer(api, request, body, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address with one.
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  api.env = {
    ANTHROPIC_BASE_URL: api.url,
    OPENAI_BASE_URL: api.url,
    OPENTIGER_CHATGPT_URL: api.url,
    OPENTIGER_CLAUDE_TOKEN_URL: `${api.url}/token`,
    OPENTIGER_CHATGPT_TOKEN_URL: `${api.url}/token`,
  };
  return api;
}

function answer(api: LoginApi, request: IncomingMessage, body: string, response: ServerResponse): void {
  const { method, url = "", headers } = request;
  api.asked.push(`${method} ${url.split("?")[0]}`);
  if (method === "HEAD") return void response.end();
  if (url === "/token") return renew(api, body, response);
  const told = headers["x-api-key"] ?? headers.authorization?.replace("Bearer ", "") ?? "";
  if (!api.good.has(String(told))) {
    const error = { type: "authentication_error", message: "who are you?" };
    response.writeHead(401, { "content-type": "application/json" });
    return void response.end(JSON.stringify({ type: "error", error }));
  }
  if (!answerAsModel(request, body, response)) response.writeHead(404).end();
}

function renew(api: LoginApi, body: string, response: ServerResponse): void {
  const { refresh_token: refresh } = JSON.parse(body) as { refresh_token: string };
  const access = api.renewals.get(refresh);
  response.writeHead(access ? 200 : 400, { "content-type": "application/json" });
  if (!access) return void response.end(JSON.stringify({ error: "invalid_grant" }));
  api.good.add(access);
  response.end(JSON.stringify({ access_token: access, refresh_token: refresh, expires_in: 3600 }));
}

/** A login of Claude Code, as its file has it. */
export function claudeLogin(
  accessToken: string,
  expiresAt: number,
  refreshToken: string | null = null,
): string {
  return JSON.stringify({
    claudeAiOauth: { accessToken, refreshToken, expiresAt, scopes: ["user:inference"] },
  });
}

/** A ChatGPT login of Codex, whose access token ends at that time, and the token itself. */
export function chatgptLogin(name: string, expiresAt: number): { file: string; token: string } {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const auth = { chatgpt_plan_type: "plus", chatgpt_account_id: "account-0123456789" };
  const claims = { exp: Math.floor(expiresAt / 1000), email: "a@b.c", "https://api.openai.com/auth": auth };
  const token = `${part({ alg: "RS256" })}.${part(claims)}.${name}`;
  const tokens = {
    id_token: token,
    access_token: token,
    refresh_token: "",
    account_id: "account-0123456789",
  };
  const last = new Date().toISOString();
  return {
    token,
    file: JSON.stringify({ auth_mode: "chatgpt", OPENAI_API_KEY: null, tokens, last_refresh: last }),
  };
}
