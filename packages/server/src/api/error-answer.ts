import { CodedError, type ErrorCode, errorCodes } from "@opentiger/schema";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";

export interface ErrorAnswer {
  code: ErrorCode;
  message: string;
  remedy?: string;
}

/**
 * What is said of an error: of ours, whichever package they are of, what they say themselves; of all others nothing but
 * that there was one, since nobody has looked at what stands in it.
 */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof CodedError) return error.toJSON();
  if (error instanceof HTTPException && error.status < 500) {
    return {
      code: error.status === 413 ? "too_large" : "usage",
      message: error.message || "this cannot be read",
    };
  }
  return {
    code: "internal",
    message: "something went wrong that should not",
    remedy: "the server's log says more",
  };
}

export function statusOf({ code }: ErrorAnswer): ContentfulStatusCode {
  return errorCodes[code].http;
}

export function sendError(c: Context, error: unknown): Response {
  const answer = errorAnswer(error);
  return c.json(answer, statusOf(answer));
}
