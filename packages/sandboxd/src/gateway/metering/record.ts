import { z } from "zod";

const tokens = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  cacheWriteHour: z.number(),
});

/**
 * One request: who made it, with which credential (its kind and where it came from, never its value), what became of
 * it and what it cost. It is the audit of every use of a credential and the ledger in one.
 */
export const requestRecord = z.object({
  seq: z.number().int(),
  at: z.iso.datetime(),
  sandbox: z.string(),
  name: z.string(),
  run: z.string().nullable(),
  loop: z.string().nullable(),
  provider: z.string(),
  method: z.string(),
  path: z.string(),
  /** For example `claude_login` from `~/.claude/.credentials.json`; null where none was used. */
  credential: z.string().nullable(),
  origin: z.string().nullable(),
  /** refused: by us, before or after the upstream was asked. cut: one side went away. failed: no answer to be had. */
  outcome: z.enum(["answered", "refused", "cut", "failed"]),
  /** What the upstream answered; null where it did not. */
  status: z.number().int().nullable(),
  /** Why we refused or it failed, as a code. */
  reason: z.string().nullable(),
  /** What the API calls its own error, also one in the middle of a stream: `overloaded_error`. */
  error: z.string().nullable().default(null),
  /** When a limit that the API told of ends. */
  until: z.iso.datetime().nullable().default(null),
  model: z.string().nullable(),
  /** null where none can be used: that was no question to a model, or it was not sent. */
  tokens: tokens.nullable(),
  /** The API's last word on the usage was not seen: the numbers are at least what was seen of the answer. */
  estimated: z.boolean(),
  /** null where the model has no price. */
  usd: z.number().nullable(),
  ms: z.number().int(),
});
export type RequestRecord = z.infer<typeof requestRecord>;

/** What became of a request, before it has its place in the ledger. */
export type RequestEntry = Omit<RequestRecord, "seq">;
