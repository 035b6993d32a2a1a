import { jsonOf } from "@opentiger/schema";
import { z } from "zod";
import { headersFor, isUsable, refusedWith, unusable } from "./credential.ts";
import type { LoginFormat } from "./login.ts";

const tokenUrl = "https://platform.claude.com/v1/oauth/token";

/** Claude Code's own, which its logins are bound to; a login may name another. */
const clientId = "9d1c250a-e61b-44d9-88ed-5944d1962f5e";

const usualScopes = [
  "user:profile",
  "user:inference",
  "user:sessions:claude_code",
  "user:mcp_servers",
  "user:file_upload",
];

const loginFile = z.looseObject({
  claudeAiOauth: z.looseObject({
    accessToken: z.string(),
    refreshToken: z.string().nullish(),
    expiresAt: z.number().nullish(),
    scopes: z.array(z.string()).nullish(),
    clientId: z.string().nullish(),
  }),
});

const tokenAnswer = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  expires_in: z.number().positive(),
  scope: z.string().optional(),
});

/** The login of Claude Code, as it keeps it in `.credentials.json`. */
export const claudeFormat: LoginFormat = {
  command: "claude /login",

  read(text) {
    const file = loginFile.safeParse(jsonOf(text));
    if (!file.success || file.data.claudeAiOauth.accessToken === "") return undefined;
    const { accessToken, refreshToken, expiresAt } = file.data.claudeAiOauth;
    return {
      access: accessToken,
      refresh: refreshToken || undefined,
      expiresAt: expiresAt == null ? undefined : new Date(expiresAt),
    };
  },

  credential(text, origin) {
    const access = claudeFormat.read(text)?.access ?? "";
    if (!isUsable(access)) return refusedWith(unusable(origin));
    const headers = headersFor("claude_login", access);
    return { ok: true, credential: { kind: "claude_login", origin, headers, secrets: [access] } };
  },

  request(text, env) {
    const login = loginFile.parse(jsonOf(text)).claudeAiOauth;
    const scopes = login.scopes?.length ? login.scopes : usualScopes;
    return {
      url: env["OPENTIGER_CLAUDE_TOKEN_URL"] || tokenUrl,
      body: {
        grant_type: "refresh_token",
        refresh_token: login.refreshToken ?? "",
        client_id: login.clientId || clientId,
        scope: scopes.join(" "),
      },
    };
  },

  renewed(text, answer, now) {
    const file = loginFile.safeParse(jsonOf(text));
    const tokens = tokenAnswer.safeParse(answer);
    if (!file.success || !tokens.success) return undefined;
    const { access_token, refresh_token, expires_in, scope } = tokens.data;
    const { claudeAiOauth } = file.data;
    return JSON.stringify({
      ...file.data,
      claudeAiOauth: {
        ...claudeAiOauth,
        accessToken: access_token,
        refreshToken: refresh_token ?? claudeAiOauth.refreshToken,
        expiresAt: now.getTime() + expires_in * 1000,
        ...(scope ? { scopes: scope.split(" ") } : {}),
      },
    });
  },
};
