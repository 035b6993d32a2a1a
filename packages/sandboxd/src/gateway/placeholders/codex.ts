import { ownerOnly, type PlaceholderSetting, type Placeholders, placeholderKey } from "./placeholder.ts";

/** Far beyond any sandbox: Codex must never want to renew what is not a login. */
const never = { seconds: 4_102_444_800, text: "2100-01-01T00:00:00Z" };

/**
 * Codex is told of a provider of ours that wants OpenAI's own login, and finds a login that is none: a file with a
 * key, or tokens in the form of JWTs. `codex login status` is content with both.
 */
export function codexPlaceholders(setting: PlaceholderSetting): Placeholders {
  if (!setting.openai) return { env: {}, files: [] };
  const subscription = setting.openai === "subscription";
  const key = placeholderKey(setting);
  const auth = subscription ? chatgptLogin(setting) : { auth_mode: "apikey", OPENAI_API_KEY: key };
  const base = subscription ? `${setting.gateway}/chatgpt` : `${setting.gateway}/openai/v1`;
  return {
    // With a key in the environment Codex would not use the ChatGPT login beside it.
    env: subscription ? {} : { CODEX_API_KEY: key, OPENAI_API_KEY: key, OPENAI_BASE_URL: base },
    files: [
      { path: ".codex/auth.json", content: `${JSON.stringify(auth, null, 2)}\n`, mode: ownerOnly },
      { path: ".codex/config.toml", content: config(setting.gateway, base), mode: ownerOnly },
      ...(setting.token === undefined ? [rules] : []),
    ],
  };
}

/** Codex refuses `rm -rf` whatever it was told, unless a rule allows it. In a sandbox there is nothing to be feared of it. */
const rules = {
  path: ".codex/rules/opentiger.rules",
  content: 'prefix_rule(pattern = ["rm"], decision = "allow")\n',
  mode: ownerOnly,
};

/**
 * What Codex asks of ChatGPT beside the model (apps, plugins, analytics) has no place in the gateway's table. Asking
 * there, it is told so at once and does without; it would otherwise look for chatgpt.com.
 */
function config(gateway: string, base: string): string {
  return `model_provider = "opentiger"
chatgpt_base_url = "${gateway}/chatgpt"

[model_providers.opentiger]
name = "openTiger"
base_url = "${base}"
wire_api = "responses"
requires_openai_auth = true

[analytics]
enabled = false

[features]
apps = false
`;
}

function chatgptLogin({ token }: PlaceholderSetting) {
  const account = "opentiger-placeholder-account";
  const jwt = placeholderJwt(
    {
      exp: never.seconds,
      email: "opentiger-placeholder@localhost",
      "https://api.openai.com/auth": { chatgpt_plan_type: "plus", chatgpt_account_id: account },
    },
    token ?? "opentiger-placeholder-signature",
  );
  return {
    auth_mode: "chatgpt",
    OPENAI_API_KEY: null,
    tokens: {
      id_token: jwt,
      access_token: jwt,
      refresh_token: "opentiger-placeholder-refresh-token",
      account_id: account,
    },
    last_refresh: never.text,
  };
}

/** Unsigned, and says so; its last part is where a signature would be. */
function placeholderJwt(claims: object, signature: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none", typ: "JWT" })}.${part(claims)}.${signature}`;
}
