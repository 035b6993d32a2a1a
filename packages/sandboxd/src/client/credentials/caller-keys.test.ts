import { describe, expect, it } from "vitest";
import { callerKeys } from "./caller-keys.ts";

const env = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o", GITHUB_TOKEN: "g" };

describe("API keys of the caller's environment", () => {
  it("an agent gets those of its own API, any other agent all of them", () => {
    expect(callerKeys("claude", [], { env, given: {} })).toEqual({ ANTHROPIC_API_KEY: "a" });
    expect(callerKeys("codex", [], { env, given: {} })).toEqual({ OPENAI_API_KEY: "o" });
    expect(callerKeys("shell", [], { env, given: {} })).toEqual({
      ANTHROPIC_API_KEY: "a",
      OPENAI_API_KEY: "o",
    });
  });

  it("where there is a login no key is spent", () => {
    expect(callerKeys("claude", ["claude"], { env, given: {} })).toEqual({});
    expect(callerKeys("shell", ["codex"], { env, given: {} })).toEqual({ ANTHROPIC_API_KEY: "a" });
  });

  it("what was given stands", () => {
    expect(callerKeys("claude", [], { env, given: { ANTHROPIC_API_KEY: "mine" } })).toEqual({});
  });
});
