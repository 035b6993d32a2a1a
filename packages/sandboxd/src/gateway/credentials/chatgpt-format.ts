import { jsonOf } from "@opentiger/schema";
import { z } from "zod";
import { headersFor, isUsable, refusedWith, unusable } from "./credential.ts";
import { claimsOf } from "./jwt.ts";
import type { LoginFormat } from "./login.ts";

const tokenUrl = "https://auth.openai.com/oauth/token";

/** Codex's own, which its logins are bound to. */
const clientId = "app_EMoamEEZ73f0CkXaXp7hrann";

const loginFile = z.looseObject({
  tokens: z.looseObject({
    access_token: z.string(),
    refresh_token: z.string().nullish(),
    id_token: z.unknown().optional(),
    account_id: z.string().nullish(),
  }),
});

const claims = z.object({
  exp: z.number().optional(),
  "https://api.openai.com/auth": z.object({ chatgpt_account_id: z.string().optional() }).optional(),
});

const tokenAnswer = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  id_token: z.string().optional(),
});

/** The ChatGPT login of Codex, as it keeps it in `auth.json`. */
export const chatgptFormat: LoginFormat = {
  command: "codex login",

  read(text) {
    const file = loginFile.safeParse(jsonOf(text));
    if (!file.success) return undefined;
    const { access_token, refresh_token } = file.data.tokens;
    const { exp } = claims.safeParse(claimsOf(access_token)).data ?? {};
    return {
      access: access_token,
      refresh: refresh_token || undefined,
      expiresAt: exp === undefined ? undefined : new Date(exp * 1000),
    };
  },

  credential(text, origin) {
    const file = loginFile.safeParse(jsonOf(text));
    if (!file.success || !isUsable(file.data.tokens.access_token)) return refusedWith(unusable(origin));
    const { access_token, account_id } = file.data.tokens;
    const said = claims.safeParse(claimsOf(access_token)).data?.["https://api.openai.com/auth"];
    const account = account_id || said?.chatgpt_account_id;
    const usable = account !== undefined && isUsable(account);
    const headers = {
      ...headersFor("chatgpt_login", access_token),
      ...(usable ? { "chatgpt-account-id": account } : {}),
    };
    const secrets = usable ? [access_token, account] : [access_token];
    return { ok: true, credential: { kind: "chatgpt_login", origin, headers, secrets } };
  },

  request(text, env) {
    const { refresh_token } = loginFile.parse(jsonOf(text)).tokens;
    return {
      url: env["OPENTIGER_CHATGPT_TOKEN_URL"] || tokenUrl,
      body: { client_id: clientId, grant_type: "refresh_token", refresh_token: refresh_token ?? "" },
    };
  },

  renewed(text, answer, now) {
    const file = loginFile.safeParse(jsonOf(text));
    const renewed = tokenAnswer.safeParse(answer);
    if (!file.success || !renewed.success) return undefined;
    const tokens = { ...file.data.tokens, ...renewed.data };
    return JSON.stringify({ ...file.data, tokens, last_refresh: now.toISOString() }, null, 2);
  },
};
