import { type FailureType, jsonOf } from "@opentiger/schema";
import { z } from "zod";
import type { AgentError } from "../driver.ts";
import type { ToldError } from "./events.ts";

/** What OpenCode means by an error event. Its name and the API's own code decide; 400 alone may be anything. */
export function errorOf(error: ToldError, at: number): AgentError {
  const { name, data } = error;
  const { message = name, statusCode: status = null } = data;
  const type = names[name] ?? apiType(error) ?? connectionType(error);
  return { type, status, message, until: resetOf(data.responseHeaders ?? {}, at) };
}

/** The model said all that it may say at once, and was not done. */
export const tooLong: AgentError = {
  type: null,
  status: null,
  message: "the model's answer was cut off where it became too long",
  until: null,
};

const names: Readonly<Record<string, FailureType>> = {
  ProviderAuthError: "auth",
  ContextOverflowError: "context",
  ContentFilterError: "refusal",
};

/** The codes of both APIs, in the answer itself or in the middle of one that had begun. */
const apiTypes: Readonly<Record<string, FailureType>> = {
  authentication_error: "auth",
  permission_error: "auth",
  invalid_api_key: "auth",
  billing_error: "quota",
  rate_limit_error: "quota",
  rate_limit_exceeded: "quota",
  insufficient_quota: "quota",
  overloaded_error: "overloaded",
  api_error: "overloaded",
  server_error: "overloaded",
  request_too_large: "context",
  context_length_exceeded: "context",
};

const told = z.object({ type: z.string().optional(), code: z.string().nullish() });
const answer = z.union([z.object({ error: told }).transform(({ error }) => error), told]);

/** An error in the middle of an answer has the API's own words as its message. */
function apiType({ name, data }: ToldError): FailureType | undefined {
  const text = name === "APIError" ? data.responseBody : data.message;
  const { code, type } = answer.safeParse(jsonOf(text ?? "")).data ?? {};
  return apiTypes[code ?? ""] ?? apiTypes[type ?? ""];
}

/** What OpenCode says of an answer that was neither JSON nor the events of one: it did not come from the API. */
const noAnswer = /^JSON parsing failed: /;

/** It tried again for as long as it tries; without a status there was no answer. */
function connectionType({ name, data }: ToldError): FailureType | null {
  if (name === "APIError")
    return data.statusCode === undefined && data.isRetryable === true ? "network" : null;
  return noAnswer.test(data.message ?? "") ? "network" : null;
}

/** When a quota is over, as the API's headers say it; `at` is when we were told. */
function resetOf(headers: Readonly<Record<string, string>>, at: number): string | null {
  const unified = Number(headers["anthropic-ratelimit-unified-reset"]) * 1000;
  const ms = Number(headers["retry-after-ms"] ?? Number(headers["retry-after"]) * 1000);
  const reset = Number.isNaN(unified) ? at + ms : unified;
  const date = new Date(reset);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
