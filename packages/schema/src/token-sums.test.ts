import { expect, test } from "vitest";
import { noTokens, restOfTokens, sumOfTokens } from "./token-sums.ts";

const some = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
const more = { input: 10, output: 0, cacheRead: 30, cacheWrite: 40 };

test("tokens are added kind by kind", () => {
  expect(sumOfTokens(some, more)).toEqual({ input: 11, output: 2, cacheRead: 33, cacheWrite: 44 });
  expect(sumOfTokens(some, noTokens)).toEqual(some);
});

test("what is left of them is never less than nothing", () => {
  expect(restOfTokens(more, some)).toEqual({ input: 9, output: 0, cacheRead: 27, cacheWrite: 36 });
});
