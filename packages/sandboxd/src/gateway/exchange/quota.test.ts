import { expect, it } from "vitest";
import { resetOf } from "./quota.ts";

const now = new Date("2026-06-01T00:00:00Z");
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();

it.each([
  ["seconds", { "retry-after": "90" }, "", 90],
  ["milliseconds", { "retry-after-ms": "1500", "retry-after": "90" }, "", 1.5],
  ["a date", { "retry-after": "Mon, 01 Jun 2026 02:00:00 GMT" }, "", 7200],
  [
    "what is told, although another limit is further away",
    {
      "retry-after": "5",
      "anthropic-ratelimit-tokens-reset": inSeconds(3600),
      "anthropic-ratelimit-tokens-remaining": "0",
    },
    "",
    5,
  ],
  [
    "the last of the limits that are used up",
    {
      "anthropic-ratelimit-requests-reset": inSeconds(4000),
      "anthropic-ratelimit-requests-remaining": "7",
      "anthropic-ratelimit-input-tokens-reset": inSeconds(100),
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-output-tokens-reset": inSeconds(200),
      "anthropic-ratelimit-output-tokens-remaining": "0",
    },
    "",
    200,
  ],
  [
    "a subscription's",
    { "anthropic-ratelimit-unified-reset": String(now.getTime() / 1000 + 18_000) },
    "",
    18_000,
  ],
  [
    "OpenAI's durations",
    { "x-ratelimit-reset-requests": "6m0s", "x-ratelimit-reset-tokens": "1h2m" },
    "",
    360,
  ],
  [
    "OpenAI's, used up",
    {
      "x-ratelimit-reset-requests": "120ms",
      "x-ratelimit-reset-tokens": "1d",
      "x-ratelimit-remaining-tokens": "0",
    },
    "",
    86_400,
  ],
  [
    "ChatGPT's, in the body",
    {},
    JSON.stringify({ error: { type: "usage_limit_reached", resets_in_seconds: 7000 } }),
    7000,
  ],
])("a limit is over after %s", (_name, headers, body, seconds) => {
  expect(resetOf(headers, body, now)?.toISOString()).toBe(inSeconds(seconds));
});

it("a limit of which nothing readable is said has no end", () => {
  expect(
    resetOf({ "retry-after": "soon", "x-ratelimit-reset-tokens": "later" }, "not json", now),
  ).toBeUndefined();
});
