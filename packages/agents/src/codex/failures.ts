import type { FailureType } from "@opentiger/schema";
import { z } from "zod";
import type { AgentError } from "../driver.ts";

/**
 * What Codex means by the text of its own `turn.failed`, which is all that it says of a failure. The patterns are held
 * against the beginning of that text; what none of them fits is not known.
 */
export function errorOf(message: string): AgentError {
  const answered = apiAnswer(message);
  if (answered) return answered;
  const status = statusText.exec(message)?.[1];
  if (status !== undefined) return { type: null, status: Number(status), message, until: null };
  const type = beginnings.find(([pattern]) => pattern.test(message))?.[1] ?? null;
  return { type, status: null, message, until: null };
}

/** Its name for a turn that ended well without a single word: a model's refusal is no message to it, and left out. */
export function silentEnd(): AgentError {
  const message = "Codex ended its turn without a word, as it does when the model refuses";
  return { type: "refusal", status: null, message, until: null };
}

const statusText = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/;

/** The first that fits. When a usage limit ends is told in the time of a zone that is not named, so it is not read. */
const beginnings: readonly (readonly [RegExp, FailureType])[] = [
  [/^You['’]ve hit your usage limit\b/, "quota"],
  [/^Quota exceeded\./, "quota"],
  [/^Your workspace is out of credits\./, "quota"],
  [/^You hit your spend cap /, "quota"],
  [/^rate limit exceeded: /, "quota"],
  [/^To use Codex with your ChatGPT plan, upgrade /, "auth"],
  [/^Your access token could not be refreshed/, "auth"],
  [/^Missing environment variable: /, "auth"],
  [/^Selected model is at capacity\./, "overloaded"],
  [/^We['’]re currently experiencing high demand/, "overloaded"],
  [/^Codex ran out of room in the model['’]s context window\./, "context"],
  [/^Invalid prompt: /, "refusal"],
  [/^stream disconnected before completion: Incomplete response returned, reason: content_filter/, "refusal"],
  [/^stream disconnected before completion: /, "network"],
  [/^Connection failed: /, "network"],
  [/^Error while reading the server response: /, "network"],
  [/^request timed out/, "network"],
];

const apiError = z.object({ error: z.object({ message: z.string(), code: z.string().nullish() }) });

/** A 400 is handed on as it came: the API's own words, which are structured. */
function apiAnswer(message: string): AgentError | undefined {
  if (!message.startsWith("{")) return undefined;
  try {
    const { error } = apiError.parse(JSON.parse(message));
    return { type: codes[error.code ?? ""] ?? null, status: 400, message: error.message, until: null };
  } catch {
    return undefined;
  }
}

/** Of OpenAI's API; those of our gateway are in its record. */
const codes: Readonly<Record<string, FailureType>> = {
  context_length_exceeded: "context",
  invalid_prompt: "refusal",
  cyber_policy: "refusal",
};
