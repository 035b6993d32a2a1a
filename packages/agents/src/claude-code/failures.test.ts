import { describe, expect, it } from "vitest";
import type { AgentError, AgentTask } from "../driver.ts";
import { ClaudeReader } from "./reader.ts";

const task: AgentTask = {
  prompt: "Mend it.",
  instructions: [],
  projectSettings: "ignored",
  permissions: { kind: "full" },
  session: { kind: "new", id: "11111111-1111-4111-8111-111111111111" },
};

/** What Claude Code 2.1.197 said of its end; each line as it was printed, without what is the same in all of them. */
function errorAfter(...lines: object[]): AgentError | null {
  const reader = new ClaudeReader(task);
  for (const line of lines) reader.line(JSON.stringify(line));
  return reader.ending().error;
}

/** Its own message in the model's name, and the result behind it. */
function failed(word: string, result: string, more: object = {}): object[] {
  const content = [{ type: "text", text: result }];
  const message = { id: "553dd42d", model: "<synthetic>", stop_reason: "stop_sequence", content };
  return [
    { type: "assistant", message, parent_tool_use_id: null, error: word },
    {
      type: "result",
      subtype: "success",
      is_error: true,
      api_error_status: null,
      num_turns: 1,
      result,
      stop_reason: "stop_sequence",
      terminal_reason: "completed",
      ...more,
    },
  ];
}

const retry = (status: number | null) => ({
  type: "system",
  subtype: "api_retry",
  attempt: 1,
  max_retries: 5,
  retry_delay_ms: 512.7,
  error_status: status,
  error: "unknown",
});

const ended = (subtype: string, more: object) => ({ type: "result", subtype, is_error: true, ...more });

const cases: [string, object[], Partial<AgentError>][] = [
  [
    "a wrong key",
    failed("authentication_failed", "Invalid API key · Fix external API key", { api_error_status: 401 }),
    { type: "auth", status: 401 },
  ],
  [
    "no login at all",
    failed("authentication_failed", "Not logged in · Please run /login"),
    { type: "auth", status: null },
  ],
  [
    "403",
    failed("authentication_failed", "Failed to authenticate. API Error: 403 no", { api_error_status: 403 }),
    { type: "auth", status: 403 },
  ],
  [
    "429 of an API key",
    failed("rate_limit", "API Error: Request rejected (429) · limit", { api_error_status: 429 }),
    { type: "quota", status: 429, until: null },
  ],
  [
    "the limit of a subscription",
    [
      {
        type: "rate_limit_event",
        rate_limit_info: { status: "rejected", resetsAt: 1893456000, rateLimitType: "five_hour" },
      },
      ...failed("rate_limit", "You've hit your session limit · resets Jan 1, 2030, 12am (UTC)", {
        api_error_status: 429,
      }),
    ],
    { type: "quota", status: 429, until: "2030-01-01T00:00:00.000Z" },
  ],
  [
    "no credit",
    failed("billing_error", "Credit balance is too low", { api_error_status: 400 }),
    { type: "quota", status: 400 },
  ],
  [
    "500",
    [retry(500), ...failed("server_error", "API Error: 500 Internal.", { api_error_status: 500 })],
    { type: "overloaded", status: 500 },
  ],
  [
    "529, on a host that it does not take for a sandbox",
    [retry(529), retry(529), ...failed("server_error", "API Error: Repeated 529 Overloaded errors.")],
    { type: "overloaded", status: 529 },
  ],
  [
    "overload in the middle of an answer",
    failed("unknown", "API Error: Overloaded"),
    { type: "overloaded", status: null },
  ],
  [
    "a connection that is reset again and again",
    [retry(null), ...failed("server_error", "API Error: Unable to connect to API (ECONNRESET)")],
    { type: "network", status: null },
  ],
  [
    "an answer that is cut",
    failed(
      "server_error",
      "API Error: Connection closed mid-response. The response above may be incomplete.",
    ),
    { type: "network" },
  ],
  [
    "garbage in place of a stream",
    failed(
      "unknown",
      "API Error: API returned an empty or malformed response (HTTP 200) — check for a proxy or gateway intercepting the request",
    ),
    { type: "network" },
  ],
  ["garbage in place of JSON", failed("unknown", "API Error: Failed to parse JSON"), { type: "network" }],
  [
    "a prompt that is too long",
    failed("invalid_request", "Prompt is too long", {
      api_error_status: 400,
      terminal_reason: "prompt_too_long",
    }),
    { type: "context", status: 400 },
  ],
  [
    "a request that is too large",
    failed("invalid_request", "Request too large (max 32MB). Try with a smaller file.", {
      api_error_status: 413,
      terminal_reason: "image_error",
    }),
    { type: "context", status: 413 },
  ],
  [
    "a context that is full in the middle of an answer",
    failed("max_output_tokens", "API Error: The model has reached its context window limit."),
    { type: "context" },
  ],
  [
    "a refusal",
    failed("invalid_request", "API Error: Claude Code is unable to respond to this request", {
      stop_reason: "refusal",
    }),
    { type: "refusal", status: null },
  ],
  [
    "no turn left",
    [
      ended("error_max_turns", {
        terminal_reason: "max_turns",
        errors: ["Reached maximum number of turns (3)"],
      }),
    ],
    { type: "max_turns", message: "Reached maximum number of turns (3)" },
  ],
  [
    "an answer that never had the form",
    [
      ended("error_max_structured_output_retries", {
        errors: ["Failed to provide valid structured output after 5 attempts"],
      }),
    ],
    { type: "malformed" },
  ],
  [
    "a 400, which the gateway knows more of",
    failed("unknown", "API Error: 400 openTiger: The budget is used up.", { api_error_status: 400 }),
    { type: null, status: 400, message: "API Error: 400 openTiger: The budget is used up." },
  ],
  [
    "a model that there is not",
    failed("model_not_found", "There's an issue with the selected model (nope).", { api_error_status: 404 }),
    { type: null, status: 404 },
  ],
];

describe("why Claude Code failed", () => {
  it.each(cases)("%s", (_name, lines, error) => {
    expect(errorAfter(...lines)).toMatchObject(error);
  });

  it("is not looked for in what the model or a tool says", () => {
    const text = "API Error: Overloaded, 429 rate_limit_error, authentication_failed";
    const content = [{ type: "text", text }];
    const assistant = { type: "assistant", message: { id: "msg_1", model: "claude-opus-4-8", content } };
    const good = { type: "result", subtype: "success", is_error: false, result: text };
    expect(errorAfter(assistant, good)).toBeNull();
    const bad = ended("error_during_execution", { errors: [`it said ${text}`] });
    expect(errorAfter(assistant, bad)).toMatchObject({ type: null, status: null });
  });

  it("is not what a retry mended", () => {
    const content = [{ type: "text", text: "Here I am." }];
    const assistant = { type: "assistant", message: { id: "msg_1", model: "claude-opus-4-8", content } };
    const cut = failed("server_error", "API Error: Unable to connect to API (ECONNRESET)");
    expect(errorAfter(retry(529), assistant, ...cut)).toMatchObject({ type: "network", status: null });
  });
});
