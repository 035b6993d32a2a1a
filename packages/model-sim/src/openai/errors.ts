import type { Failure } from "../scenario/reply.ts";
import type { HttpError } from "../server/api.ts";
import type { SseEvent } from "../server/sse.ts";

/** A failure in the words of OpenAI's API. */
export function openaiError(failure: Failure, now: Date): HttpError {
  switch (failure.kind) {
    case "rateLimit":
      return rateLimit(failure.resetSeconds, now);
    case "unauthorized":
      return error(401, "invalid_api_key", "Incorrect API key provided.");
    case "serverError":
      return error(
        500,
        "server_error",
        "The server had an error while processing your request.",
        "server_error",
      );
    case "overloaded":
      return error(
        503,
        "server_is_overloaded",
        "The server is overloaded. Please try again later.",
        "server_error",
      );
    case "contextTooLong":
      return error(400, "context_length_exceeded", tooLong);
    case "unknownModel":
      return error(
        404,
        "model_not_found",
        `The model \`${failure.model}\` does not exist or you do not have access to it.`,
      );
    case "invalid":
      return error(400, "invalid_request", failure.message);
  }
}

const tooLong =
  "Your input exceeds the context window of this model. Please adjust your input and try again.";

/** A context that is too long is only found out when the answer has begun. */
export function openaiFailedStream(failure: Failure, model: string): SseEvent[] | undefined {
  if (failure.kind !== "contextTooLong") return undefined;
  const response = { id: "resp_too_long", object: "response", created_at: 0, model, output: [], usage: null };
  const problem = { code: "context_length_exceeded", message: tooLong };
  return [
    { type: "response.created", sequence_number: 0, response: { ...response, status: "in_progress" } },
    {
      type: "response.failed",
      sequence_number: 1,
      response: { ...response, status: "failed", error: problem },
    },
  ];
}

/** ChatGPT says in the body when it is over, the API in the headers. */
function rateLimit(seconds: number | undefined, now: Date): HttpError {
  if (seconds === undefined) return error(429, "rate_limit_exceeded", "Rate limit reached.", "requests");
  const at = Math.ceil(now.getTime() / 1000 + seconds);
  const { status, body } = error(
    429,
    "usage_limit_reached",
    "The usage limit has been reached",
    "usage_limit_reached",
  );
  return {
    status,
    body: {
      error: { ...body.error, plan_type: "plus", resets_at: at, resets_in_seconds: Math.ceil(seconds) },
    },
    headers: { "retry-after": String(Math.ceil(seconds)) },
  };
}

function error(status: number, code: string, message: string, type = "invalid_request_error") {
  return { status, body: { error: { message, type, code, param: null } }, headers: {} };
}
