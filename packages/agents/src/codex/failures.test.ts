import { describe, expect, it } from "vitest";
import { errorOf } from "./failures.ts";

describe("what the text of turn.failed means", () => {
  it.each([
    [
      "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at 6:20 AM.",
      "quota",
    ],
    ["You’ve hit your usage limit. Try again later.", "quota"],
    ["Quota exceeded. Check your plan and billing details.", "quota"],
    ["rate limit exceeded: Rate limit reached for gpt-5. Please try again in 0.5s.", "quota"],
    ["To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.", "auth"],
    ["Selected model is at capacity. Please try a different model.", "overloaded"],
    ["We’re currently experiencing high demand, which may cause temporary errors.", "overloaded"],
    [
      "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
      "context",
    ],
    ["stream disconnected before completion: stream closed before response.completed", "network"],
    [
      "stream disconnected before completion: Transport error: network error: error decoding response body",
      "network",
    ],
    ["stream disconnected before completion: idle timeout waiting for SSE", "network"],
    ["Connection failed: error sending request", "network"],
    ["Invalid prompt: we've limited access to this content for safety reasons.", "refusal"],
    [
      "stream disconnected before completion: Incomplete response returned, reason: content_filter",
      "refusal",
    ],
  ])("%s", (message, type) => {
    expect(errorOf(message)).toEqual({ type, status: null, message, until: null });
  });

  it.each([
    [
      "unexpected status 401 Unauthorized: Incorrect API key provided, url: http://127.0.0.1:4555/v1/responses",
      401,
    ],
    ["exceeded retry limit, last status: 429 Too Many Requests", 429],
    ["unexpected status 529 <unknown status code>: Overloaded, url: http://127.0.0.1:4555/v1/responses", 529],
  ])("the status says it: %s", (message, status) => {
    expect(errorOf(message)).toMatchObject({ type: null, status });
  });

  it("a 400 is told in the API's own words, which have a code", () => {
    const tooLong = { message: "Your input exceeds the context window.", code: "context_length_exceeded" };
    expect(errorOf(JSON.stringify({ error: tooLong }))).toMatchObject({
      type: "context",
      status: 400,
      message: tooLong.message,
    });
    const refused = { message: "openTiger: The budget is used up.", code: "budget", param: null };
    expect(errorOf(JSON.stringify({ error: refused }))).toMatchObject({
      type: null,
      status: 400,
      message: refused.message,
    });
  });

  it.each([
    "The model `x` does not exist or you do not have access to it.",
    "The test expected unexpected status 429",
    "See: You’ve hit your usage limit",
    "{ not json",
    "",
  ])("what stands nowhere at the beginning is not known: %s", (message) => {
    expect(errorOf(message)).toMatchObject({ type: null, status: null, message });
  });
});
