import { ownerOnly, type PlaceholderSetting, type Placeholders, placeholderKey } from "./placeholder.ts";

/**
 * OpenCode's own providers, led to the gateway. It is used with API keys: a Claude subscription is for Claude Code,
 * and where there is nothing else the API may refuse it.
 */
export function opencodePlaceholders(setting: PlaceholderSetting): Placeholders {
  const options = (path: string) => ({
    options: { baseURL: `${setting.gateway}${path}`, apiKey: placeholderKey(setting) },
  });
  const provider = {
    ...(setting.anthropic ? { anthropic: options("/anthropic/v1") } : {}),
    ...(setting.openaiKey ? { openai: options("/openai/v1") } : {}),
  };
  if (Object.keys(provider).length === 0) return { env: {}, files: [] };
  const content = `${JSON.stringify({ $schema: "https://opencode.ai/config.json", provider }, null, 2)}\n`;
  return { env: {}, files: [{ path: ".config/opencode/opencode.json", content, mode: ownerOnly }] };
}
