import { expect, test } from "vitest";
import { benchParts } from "../packages/cli/src/commands/checkout-scripts.ts";
import { parts } from "./parts.ts";

test("`opentiger bench` offers the parts that there are", () => {
  expect(benchParts).toEqual([...parts.keys()]);
});
