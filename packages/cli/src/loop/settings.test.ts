import { configKeys } from "@opentiger/schema";
import { expect, it } from "vitest";
import { settingsOf } from "./settings.ts";

/** Every key as it is where nobody has said anything. */
const config: Parameters<typeof settingsOf>[1] = {
  get: (name) => configKeys[name].fallback.value,
  // Nothing else of an entry is asked for.
  entry: () => ({ source: "default" }) as never,
};

it("a bound in dollars leaves the usual bound in tokens, and the other way round", () => {
  const usual = configKeys.OPENTIGER_LOOP_TOKENS.fallback.value;
  expect(settingsOf({ budgetUsd: 5 }, config).budget).toEqual({ usd: 5, tokens: usual });
  expect(settingsOf({ budgetTokens: 1_000 }, config).budget).toEqual({ usd: null, tokens: 1_000 });
  expect(settingsOf({}, config).budget).toBeUndefined();
});

it.each([
  ["no", {}, false],
  ["yes", {}, true],
  ["no", { approve: true }, true],
  [undefined, {}, undefined],
] as const)(
  "whether a plan waits is said by a flag, else by this shell (%s), else it is left to what is stored",
  (own, options, approve) => {
    const shell: Parameters<typeof settingsOf>[1] = {
      get: (name) => (name === "OPENTIGER_APPROVE_PLANS" ? (own ?? "yes") : config.get(name)),
      // Nothing else of an entry is asked for.
      entry: () => ({ source: own === undefined ? "stored" : "environment" }) as never,
    };
    expect(settingsOf(options, shell).approve).toBe(approve);
  },
);

it("a policy of this shell holds for the loop, and what the project's file asks for beyond it is answered by a flag", () => {
  const shell: Parameters<typeof settingsOf>[1] = {
    get: (name) => (name === "OPENTIGER_NETWORK_POLICY" ? "deny" : config.get(name)),
    // Nothing else of an entry is asked for.
    entry: (name) => ({ source: name === "OPENTIGER_NETWORK_POLICY" ? "environment" : "stored" }) as never,
  };
  expect(settingsOf({ projectNetwork: "withhold" }, shell)).toMatchObject({
    network: "deny",
    projectNetwork: "withhold",
  });
  expect(settingsOf({}, config)).not.toHaveProperty("network");
});
