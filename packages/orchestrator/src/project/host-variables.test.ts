import { configKeys } from "@opentiger/schema";
import { expect, it } from "vitest";
import { hostVariables } from "./host-variables.ts";

it("an agent finds what its own CLI looks for, and nothing of another's", () => {
  expect(hostVariables("claude", null)).toEqual(expect.arrayContaining(["PATH", "HOME", "ANTHROPIC_*"]));
  expect(hostVariables("claude", null)).not.toContain("OPENAI_*");
  expect(hostVariables("codex", null)).toContain("CODEX_*");
  expect(hostVariables("shell", null).join()).not.toMatch(/ANTHROPIC|OPENAI|CODEX|CLAUDE|SSH_AUTH_SOCK/);
});

it("what the user names comes to that, once", () => {
  const named = hostVariables("shell", "SSH_AUTH_SOCK, NPM_TOKEN\nPATH");
  expect(named.slice(-2)).toEqual(["SSH_AUTH_SOCK", "NPM_TOKEN"]);
  expect(named.filter((name) => name === "PATH")).toHaveLength(1);
});

it.each(["OPENTIGER_DATABASE_URL", "NPM_TOKEN,OPENTIGER_*", "*", "opentiger_x", "A=b", "O*"])(
  "%j cannot be named: it is ours alone, or anything",
  (named) => {
    expect(configKeys.OPENTIGER_HOST_VARIABLES.read(named)).toBeUndefined();
  },
);
