import { describe, expect, it } from "vitest";
import type { ToldError } from "./events.ts";
import { errorOf } from "./failures.ts";

const at = Date.parse("2026-01-01T00:00:00Z");
const body = (error: object) => JSON.stringify({ type: "error", error });
const api = (data: ToldError["data"]): ToldError => ({
  name: "APIError",
  data: { isRetryable: false, ...data },
});

describe("what OpenCode's error events mean", () => {
  it.each<[string, ToldError, string | null]>([
    ["no key", { name: "ProviderAuthError", data: { message: "Anthropic API key is missing." } }, "auth"],
    ["too long", { name: "ContextOverflowError", data: { message: "prompt is too long" } }, "context"],
    ["a refusal", { name: "ContentFilterError", data: { message: "The response was blocked" } }, "refusal"],
    ["an abort", { name: "MessageAbortedError", data: { message: "Aborted" } }, null],
    [
      "a wrong key",
      api({ statusCode: 401, responseBody: body({ type: "authentication_error", message: "no" }) }),
      "auth",
    ],
    [
      "a limit",
      api({ statusCode: 429, responseBody: body({ type: "rate_limit_error", message: "slow down" }) }),
      "quota",
    ],
    [
      "no money",
      api({ statusCode: 429, responseBody: JSON.stringify({ error: { code: "insufficient_quota" } }) }),
      "quota",
    ],
    [
      "an overloaded API",
      api({ statusCode: 529, responseBody: body({ type: "overloaded_error" }) }),
      "overloaded",
    ],
    [
      "what the gateway refuses",
      api({ statusCode: 400, responseBody: body({ type: "invalid_request_error" }) }),
      null,
    ],
    ["a page of some proxy", api({ statusCode: 502, responseBody: "<html>429</html>" }), null],
    [
      "no connection",
      api({ message: "Cannot connect to API: Unable to connect.", isRetryable: true }),
      "network",
    ],
    [
      "an error in the middle of an answer",
      { name: "UnknownError", data: { message: '{"type":"overloaded_error","message":"Overloaded"}' } },
      "overloaded",
    ],
    [
      "garbage",
      {
        name: "UnknownError",
        data: { message: "JSON parsing failed: Text: {{{.\nError message: JSON Parse error" },
      },
      "network",
    ],
    [
      "anything else",
      { name: "UnknownError", data: { message: "Unexpected server error: rate_limit_error 429" } },
      null,
    ],
  ])("%s", (_what, error, type) => {
    expect(errorOf(error, at)).toMatchObject({ type, status: error.data.statusCode ?? null });
  });

  it("says when a limit ends, where the API's headers say it", () => {
    const until = (responseHeaders: Record<string, string>) =>
      errorOf(api({ statusCode: 429, responseHeaders }), at).until;
    expect(until({ "retry-after": "90" })).toBe("2026-01-01T00:01:30.000Z");
    expect(until({ "retry-after-ms": "1500", "retry-after": "2" })).toBe("2026-01-01T00:00:01.500Z");
    expect(until({ "anthropic-ratelimit-unified-reset": "1767229200" })).toBe("2026-01-01T01:00:00.000Z");
    expect(until({ "retry-after": "soon" })).toBeNull();
    expect(until({})).toBeNull();
  });

  it("has a name where there is no message", () => {
    expect(errorOf({ name: "MessageOutputLengthError", data: {} }, at).message).toBe(
      "MessageOutputLengthError",
    );
  });
});
