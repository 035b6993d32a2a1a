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
