import type { FailureType } from "@opentiger/schema";
import type { AgentError } from "../driver.ts";
import type { ClaudeResult } from "./events.ts";

/** What was heard before the end that says why it came. */
export interface Heard {
  /** Claude Code's own word for the error. */
  word: string | null;
  /** What the last request that failed was answered with. */
  retriedStatus: number | null;
  /** ISO; when the limit ends that the account has reached. */
  limitEnds: string | null;
}

/** What a result says went wrong; null where nothing did. */
export function errorOf(result: ClaudeResult, heard: Heard): AgentError | null {
  if (!result.is_error) return null;
  const message = result.errors?.join("; ") || result.result || result.subtype;
  // Of repeated overload it tells at its end only that, without the status.
  const status = result.api_error_status ?? (heard.word === "server_error" ? heard.retriedStatus : null);
  const type = typeOf(result, heard, { status, message });
  return { type, status, message, until: type === "quota" ? heard.limitEnds : null };
}

function typeOf(
  { subtype, stop_reason: stop, terminal_reason: reason }: ClaudeResult,
  { word }: Heard,
  { status, message }: { status: number | null; message: string },
): FailureType | null {
  const known =
    subtypes.get(subtype) ??
    (stop === "refusal" ? "refusal" : reasons.get(reason ?? "")) ??
    words.get(word ?? "");
  if (known) return known;
  if (status === 413) return "context";
  if (status !== null) return status >= 500 ? "overloaded" : null;
  // Its word for an answer that never came, or not to its end.
  if (word === "server_error") return "network";
  return beginnings.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}

const subtypes: ReadonlyMap<string, FailureType> = new Map([
  ["error_max_turns", "max_turns"],
  ["error_max_budget_usd", "budget"],
  ["error_max_structured_output_retries", "malformed"],
]);

const reasons: ReadonlyMap<string, FailureType> = new Map([
  ["prompt_too_long", "context"],
  ["blocking_limit", "context"],
  ["rapid_refill_breaker", "context"],
  ["max_turns", "max_turns"],
]);

const words: ReadonlyMap<string, FailureType> = new Map([
  ["authentication_failed", "auth"],
  ["oauth_org_not_allowed", "auth"],
  ["billing_error", "quota"],
  ["rate_limit", "quota"],
  ["overloaded", "overloaded"],
]);

/** Where it has no word and no status: the beginning of what it writes itself. */
const beginnings: readonly (readonly [RegExp, FailureType])[] = [
  [/^API Error: The model has reached its context window limit\./, "context"],
  [/^API Error: API returned an empty or malformed response \(HTTP \d+\)/, "network"],
  [/^API Error: Failed to parse JSON$/, "network"],
  [/^API Error: Overloaded$/, "overloaded"],
];
