import { jsonOf } from "@opentiger/schema";
import { z } from "zod";
import { noTokens, type Tokens } from "./tokens.ts";

/** What one event of a stream, or a whole answer, says about its usage. */
export interface Observation {
  model?: string;
  /** Only the counts that were told. */
  tokens?: Partial<Tokens>;
  /** Nothing more will be said: these are the final numbers. */
  final: boolean;
}

export type Dialect = "anthropic" | "openai";

const count = z.number().int().nonnegative().max(1e12).nullish().catch(undefined);

const anthropicUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  cache_creation: z.object({ ephemeral_1h_input_tokens: count }).nullish().catch(undefined),
});

const details = z.object({ cached_tokens: count, cache_write_tokens: count }).nullish().catch(undefined);

const openaiUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  input_tokens_details: details,
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: details,
});

const holder = z.object({
  model: z.string().max(200).optional().catch(undefined),
  usage: z.unknown().optional(),
});
const envelope = z.object({
  type: z.string().optional().catch(undefined),
  message: holder.optional().catch(undefined),
  response: holder.optional().catch(undefined),
  model: z.string().max(200).optional().catch(undefined),
  usage: z.unknown().optional(),
});

/** undefined where the text is not such an event or says nothing of usage or model. */
export function observe(dialect: Dialect, text: string): Observation | undefined {
  const read = envelope.safeParse(jsonOf(text));
  if (!read.success) return undefined;
  const { type, message, response, model, usage } = read.data;
  const inner = message ?? response;
  const tokens = (dialect === "anthropic" ? anthropicTokens : openaiTokens)(inner?.usage ?? usage);
  const named = inner?.model ?? model;
  if (!tokens && named === undefined) return undefined;
  return {
    ...(named === undefined ? {} : { model: named }),
    ...(tokens ? { tokens } : {}),
    // Anthropic tells the input first and the output last; OpenAI tells everything once, at the end.
    final: tokens !== undefined && type !== "message_start",
  };
}

/** Later numbers replace earlier ones: the API's own are cumulative. */
export function merged(before: Tokens | undefined, told: Partial<Tokens>): Tokens {
  return { ...noTokens, ...before, ...told };
}

function anthropicTokens(usage: unknown): Partial<Tokens> | undefined {
  const read = anthropicUsage.safeParse(usage);
  if (!read.success) return undefined;
  const { data } = read;
  return told({
    input: data.input_tokens,
    output: data.output_tokens,
    cacheRead: data.cache_read_input_tokens,
    cacheWrite: data.cache_creation_input_tokens,
    cacheWriteHour: data.cache_creation?.ephemeral_1h_input_tokens,
  });
}

/** OpenAI counts what a cache gave or took as part of the input. */
function openaiTokens(usage: unknown): Partial<Tokens> | undefined {
  const read = openaiUsage.safeParse(usage);
  if (!read.success) return undefined;
  const { data } = read;
  const all = data.input_tokens ?? data.prompt_tokens;
  const parts = data.input_tokens_details ?? data.prompt_tokens_details;
  const cacheRead = parts?.cached_tokens ?? 0;
  const cacheWrite = parts?.cache_write_tokens ?? 0;
  return told({
    input: all == null ? all : Math.max(0, all - cacheRead - cacheWrite),
    output: data.output_tokens ?? data.completion_tokens,
    cacheRead: all == null ? all : cacheRead,
    cacheWrite: all == null ? all : cacheWrite,
  });
}

function told(counts: Partial<Record<keyof Tokens, number | null | undefined>>): Partial<Tokens> | undefined {
  const entries = Object.entries(counts).filter(([, value]) => value != null);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
