import { jsonOf } from "@opentiger/schema";
import { z } from "zod";

export const largestErrorBody = 64 * 1024;

/** Codes are short words; what is longer is none. */
const word = z
  .string()
  .regex(/^[\w.-]{1,80}$/)
  .nullish()
  .catch(undefined);
const told = z.object({ type: word, code: word });
const envelope = z.object({
  error: told.nullish().catch(undefined),
  response: z
    .object({ error: told.nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
});

/** A cheap look first: most events are a few letters of the answer. What a model says is quoted and never looks so. */
const mentions = /"error"\s*:\s*\{/;

/**
 * What an API calls its own error, in a body or in an event of a stream: `overloaded_error`, `context_length_exceeded`.
 * The more particular of the two words where there are two; never its prose. undefined where there is no error.
 */
export function apiErrorOf(text: string): string | undefined {
  if (!mentions.test(text)) return undefined;
  const read = envelope.safeParse(jsonOf(text));
  const error = read.success ? (read.data.error ?? read.data.response?.error) : undefined;
  return error?.code ?? error?.type ?? undefined;
}

/** Keeps the start of an answer that is an error, for the word by which the API calls it. */
export class ErrorBody {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  feed(chunk: Buffer): void {
    const room = largestErrorBody - this.#bytes;
    if (room <= 0) return;
    this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    this.#bytes += chunk.length;
  }

  end(): string | undefined {
    return apiErrorOf(Buffer.concat(this.#chunks).toString("utf8"));
  }
}
