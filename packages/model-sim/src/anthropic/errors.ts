import type { Failure } from "../scenario/reply.ts";
import type { HttpError } from "../server/api.ts";

/** A failure in the words of Anthropic's API. */
export function anthropicError(failure: Failure, now: Date): HttpError {
  switch (failure.kind) {
    case "rateLimit":
      return {
        ...error(
          429,
          "rate_limit_error",
          "This request would exceed your account's rate limit. Please try again later.",
        ),
        headers: limitHeaders(failure.resetSeconds, now),
      };
    case "unauthorized":
      return error(401, "authentication_error", "invalid x-api-key");
    case "serverError":
      return error(500, "api_error", "Internal server error");
    case "overloaded":
      return error(529, "overloaded_error", "Overloaded");
    case "contextTooLong":
      return error(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum");
    case "unknownModel":
      return error(404, "not_found_error", `model: ${failure.model}`);
    case "invalid":
      return error(400, "invalid_request_error", failure.message);
  }
}

function error(status: number, type: string, message: string): HttpError {
  return { status, body: { type: "error", error: { type, message } }, headers: {} };
}

/** Both what an API key and what a subscription is told. */
function limitHeaders(seconds: number | undefined, now: Date): Record<string, string> {
  if (seconds === undefined) return {};
  const at = Math.ceil(now.getTime() / 1000 + seconds);
  return {
    "retry-after": String(Math.ceil(seconds)),
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": String(at),
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
  };
}
