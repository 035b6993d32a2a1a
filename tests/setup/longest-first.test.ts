import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { inCheckout } from "../../scripts/setup/checkout.mjs";
import { longest } from "./longest-first.ts";

it("every file that is said to take long is there", () => {
  expect(longest.filter((file) => !existsSync(inCheckout(file)))).toEqual([]);
});
