import type { IncomingHttpHeaders } from "node:http";
import { jsonOf } from "@opentiger/schema";
import { z } from "zod";

/** A CLI may wait this long by itself; beyond, waiting is somebody else's decision. */
export const longestWaitMs = 60_000;

const limitBody = z.object({
  error: z.object({ resets_at: z.number().optional(), resets_in_seconds: z.number().optional() }),
});

/**
 * When a 429 says that it will be over. What is told in so many words comes first; else the limits that are used up,
 * the last of them; else the first that is told of. undefined where nothing is said.
 */
export function resetOf(headers: IncomingHttpHeaders, body: string, now: Date): Date | undefined {
  const ms =
    plainReset(headers, now) ?? bodyReset(body, now) ?? unifiedReset(headers) ?? limitsReset(headers, now);
  return ms === undefined || Number.isNaN(ms) ? undefined : new Date(ms);
}

function plainReset(headers: IncomingHttpHeaders, now: Date): number | undefined {
  const exact = Number(text(headers["retry-after-ms"]) ?? Number.NaN);
  if (Number.isFinite(exact)) return now.getTime() + exact;
  const told = text(headers["retry-after"]);
  if (told === undefined) return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(told) ? now.getTime() + Number(told) * 1000 : Date.parse(told);
  return Number.isNaN(ms) ? undefined : ms;
}

/** ChatGPT tells it in the body. */
function bodyReset(body: string, now: Date): number | undefined {
  const read = limitBody.safeParse(jsonOf(body));
  if (!read.success) return undefined;
  const { resets_at: at, resets_in_seconds: seconds } = read.data.error;
  if (at !== undefined) return at * 1000;
  return seconds === undefined ? undefined : now.getTime() + seconds * 1000;
}

/** Of a Claude subscription. */
function unifiedReset(headers: IncomingHttpHeaders): number | undefined {
  const told = text(headers["anthropic-ratelimit-unified-reset"]);
  if (told === undefined) return undefined;
  return /^\d+$/.test(told) ? Number(told) * 1000 : Date.parse(told);
}

function limitsReset(headers: IncomingHttpHeaders, now: Date): number | undefined {
  const limits = Object.entries(headers).flatMap(([name, value]) => {
    const match = /^(?:anthropic-ratelimit-(.+)-reset|x-ratelimit-reset-(.+))$/.exec(name);
    const told = text(value);
    if (!match || told === undefined) return [];
    const [, anthropic, openai] = match;
    const at = anthropic === undefined ? now.getTime() + duration(told) : Date.parse(told);
    const remaining = anthropic
      ? `anthropic-ratelimit-${anthropic}-remaining`
      : `x-ratelimit-remaining-${openai}`;
    return Number.isNaN(at) ? [] : [{ at, usedUp: text(headers[remaining]) === "0" }];
  });
  const usedUp = limits.filter((limit) => limit.usedUp).map(({ at }) => at);
  if (usedUp.length > 0) return Math.max(...usedUp);
  return limits.length > 0 ? Math.min(...limits.map(({ at }) => at)) : undefined;
}

/** OpenAI writes `1s`, `6m0s`, `120ms`, `1h2m`. */
function duration(told: string): number {
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  const parts = [...told.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== told) return Number.NaN;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ""] ?? Number.NaN), 0);
}

function text(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
