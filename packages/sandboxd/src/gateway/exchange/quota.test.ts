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
  [
    "ChatGPT's time, in seconds",
    {},
    JSON.stringify({ error: { resets_at: now.getTime() / 1000 + 60, resets_in_seconds: "a minute" } }),
    60,
  ],
  [
    "ChatGPT's time, in milliseconds",
    {},
    JSON.stringify({ error: { resets_at: now.getTime() + 60_000 } }),
    60,
  ],
  [
    "a subscription's, in milliseconds",
    { "anthropic-ratelimit-unified-reset": String(now.getTime() + 60_000) },
    "",
    60,
  ],
  [
    "what can be read of it",
    {
      "retry-after-ms": "",
      "retry-after": "soon",
      "anthropic-ratelimit-unified-reset": "later",
      "anthropic-ratelimit-tokens-reset": inSeconds(100),
    },
    JSON.stringify({ error: { resets_at: null } }),
    100,
  ],
])("a limit is over after %s", (_name, headers, body, seconds) => {
  expect(resetOf(headers, body, now)?.toISOString()).toBe(inSeconds(seconds));
});

const year = 366 * 86_400;
const digits = "9".repeat(400);

it.each([
  ["a huge number of seconds", { "retry-after": "99999999999999999" }, ""],
  ["seconds without end", { "retry-after": digits }, ""],
  ["milliseconds without end", { "retry-after-ms": digits }, ""],
  ["a year that no calendar has", { "anthropic-ratelimit-unified-reset": digits }, ""],
  ["a duration without end", { "x-ratelimit-reset-tokens": `${digits}d` }, ""],
  ["a body's huge number", {}, JSON.stringify({ error: { resets_in_seconds: 1e300 } })],
  ["a body's huge time", {}, JSON.stringify({ error: { resets_at: 1e300 } })],
])(
  "a limit that is over after %s is a limit all the same, for as long as anybody could wait",
  (_name, headers, body) => {
    expect(resetOf(headers, body, now)?.toISOString()).toBe(inSeconds(year));
  },
);

it("a limit that was over long ago is told as a time that there is", () => {
  const body = JSON.stringify({ error: { resets_at: -1e300 } });
  expect(resetOf({}, body, now)?.toISOString()).toBe("1970-01-01T00:00:00.000Z");
});

it("a limit of which nothing readable is said has no end", () => {
  expect(
    resetOf({ "retry-after": "soon", "x-ratelimit-reset-tokens": "later" }, "not json", now),
  ).toBeUndefined();
});
