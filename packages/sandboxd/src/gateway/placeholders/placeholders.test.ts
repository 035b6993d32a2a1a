import { describe, expect, it } from "vitest";
import { insideGateway, type PlaceholderSetting } from "./placeholder.ts";
import { brokeredAgents, placeholdersFor } from "./placeholders.ts";

const nothing: PlaceholderSetting = {
  gateway: insideGateway,
  anthropic: undefined,
  openai: undefined,
  openaiKey: false,
};
const subscriptions: PlaceholderSetting = { ...nothing, anthropic: "subscription", openai: "subscription" };
const keys: PlaceholderSetting = { ...nothing, anthropic: "api_key", openai: "api_key", openaiKey: true };

const contentOf = (setting: PlaceholderSetting, path: string) =>
  placeholdersFor(brokeredAgents, setting).files.find((file) => file.path === path)?.content ?? "";

describe("in place of a credential", () => {
  it("Claude Code finds a token or a key, as is its kind, and the gateway", () => {
    expect(placeholdersFor(["claude"], subscriptions)).toEqual({
      env: {
        ANTHROPIC_BASE_URL: "http://127.0.0.1:3129/anthropic",
        CLAUDE_CODE_OAUTH_TOKEN: "opentiger-placeholder-oauth-token",
      },
      files: [],
    });
    expect(placeholdersFor(["claude"], keys).env).toEqual({
      ANTHROPIC_BASE_URL: "http://127.0.0.1:3129/anthropic",
      ANTHROPIC_API_KEY: "opentiger-placeholder-key",
    });
  });

  it("Codex finds a ChatGPT login that is none, in the form that it wants", () => {
    const { tokens, last_refresh, ...rest } = JSON.parse(contentOf(subscriptions, ".codex/auth.json"));
    expect(rest).toEqual({ auth_mode: "chatgpt", OPENAI_API_KEY: null });
    expect(Date.parse(last_refresh)).toBeGreaterThan(Date.parse("2099-01-01"));
    const claims = JSON.parse(Buffer.from(tokens.id_token.split(".")[1], "base64url").toString());
    expect(claims).toMatchObject({
      exp: 4_102_444_800,
      "https://api.openai.com/auth": { chatgpt_account_id: tokens.account_id },
    });
    expect(contentOf(subscriptions, ".codex/config.toml")).toContain(
      'base_url = "http://127.0.0.1:3129/chatgpt"',
    );
    expect(placeholdersFor(["codex"], subscriptions).env).toEqual({});
  });

  it("Codex may remove folders in a sandbox, and asks its own rules on the host", () => {
    const path = ".codex/rules/opentiger.rules";
    expect(contentOf(keys, path)).toContain('pattern = ["rm"]');
    expect(contentOf({ ...keys, token: "otk-x" }, path)).toBe("");
  });

  it("Codex finds a key, and OpenAI's own API behind the gateway", () => {
    expect(JSON.parse(contentOf(keys, ".codex/auth.json"))).toEqual({
      auth_mode: "apikey",
      OPENAI_API_KEY: "opentiger-placeholder-key",
    });
    expect(contentOf(keys, ".codex/config.toml")).toContain('base_url = "http://127.0.0.1:3129/openai/v1"');
  });

  it("OpenCode finds its own providers behind the gateway, OpenAI's only with a key", () => {
    const path = ".config/opencode/opencode.json";
    expect(Object.keys(JSON.parse(contentOf(keys, path)).provider)).toEqual(["anthropic", "openai"]);
    expect(JSON.parse(contentOf(subscriptions, path)).provider).toEqual({
      anthropic: {
        options: { baseURL: "http://127.0.0.1:3129/anthropic/v1", apiKey: "opentiger-placeholder-key" },
      },
    });
  });

  it("everything is recognisable and for its owner alone", () => {
    for (const setting of [subscriptions, keys]) {
      const { env, files } = placeholdersFor(brokeredAgents, setting);
      for (const [name, value] of Object.entries(env))
        expect({ name, value }).toEqual({
          name,
          value: expect.stringMatching(/^opentiger-placeholder-|^http:\/\/127/),
        });
      for (const { mode } of files) expect(mode).toBe(0o600);
      expect(files.find(({ path }) => path.endsWith("auth.json"))?.content).toContain(
        "opentiger-placeholder-",
      );
    }
  });

  it("an agent without any credential finds nothing, and can say so itself", () => {
    expect(placeholdersFor(brokeredAgents, nothing)).toEqual({ env: {}, files: [] });
  });
});
