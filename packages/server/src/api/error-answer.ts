import { type ErrorCode, errorCodes } from "@opentiger/schema";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { z } from "zod";

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
  const own = ownError.safeParse(error);
  if (own.success) {
    const { code, message, remedy } = own.data;
    return { code, message, ...(remedy === undefined ? {} : { remedy }) };
  }
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

const ownNames = ["ServerError", "OrchestratorError", "SandboxError", "VaultError"];
const ownError = z.object({
  name: z.enum(ownNames),
  code: z.custom<ErrorCode>((code) => typeof code === "string" && Object.hasOwn(errorCodes, code)),
  message: z.string(),
  remedy: z.string().optional(),
});
