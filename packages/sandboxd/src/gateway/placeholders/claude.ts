import { type PlaceholderSetting, type Placeholders, placeholderKey } from "./placeholder.ts";

/** Claude Code asks its base URL with whatever token or key it was given. */
export function claudePlaceholders(setting: PlaceholderSetting): Placeholders {
  if (!setting.anthropic) return { env: {}, files: [] };
  const credential =
    setting.anthropic === "subscription"
      ? { CLAUDE_CODE_OAUTH_TOKEN: setting.token ?? "opentiger-placeholder-oauth-token" }
      : { ANTHROPIC_API_KEY: placeholderKey(setting) };
  return { env: { ANTHROPIC_BASE_URL: `${setting.gateway}/anthropic`, ...credential }, files: [] };
}
