import type { IncomingHttpHeaders } from "node:http";
import { jsonOf } from "@opentiger/schema";
import { z } from "zod";

/** A CLI may wait this long by itself; beyond, waiting is somebody else's decision. */
export const longestWaitMs = 60_000;

/** Nobody waits longer; what is told beyond it, by mistake or in mischief, is a limit all the same. */
const longestResetMs = 366 * 86_400_000;

/** As seconds this is in the year 5138, as milliseconds in 1973: a larger number is one of milliseconds. */
const largestSeconds = 1e11;

/** What of it cannot be read says nothing against the rest. */
const limitBody = z.object({
  error: z.object({
    resets_at: z.number().optional().catch(undefined),
    resets_in_seconds: z.number().optional().catch(undefined),
  }),
});

/**
 * When a 429 says that it will be over. What is told in so many words comes first; else the limits that are used up,
 * the last of them; else the first that is told of. undefined where nothing is said that can be read. Always a time that
 * there is, and no further away than anybody could wait.
 */
export function resetOf(headers: IncomingHttpHeaders, body: string, now: Date): Date | undefined {
  const ms =
    plainReset(headers, now) ?? bodyReset(body, now) ?? unifiedReset(headers) ?? limitsReset(headers, now);
  if (ms === undefined) return undefined;
  return new Date(Math.max(0, Math.min(ms, now.getTime() + longestResetMs)));
}

function plainReset(headers: IncomingHttpHeaders, now: Date): number | undefined {
  const exact = text(headers["retry-after-ms"]) ?? "";
  if (number.test(exact)) return now.getTime() + Number(exact);
  const told = text(headers["retry-after"]);
  if (told === undefined) return undefined;
  return number.test(told) ? now.getTime() + Number(told) * 1000 : dateIn(told);
}

const number = /^\d+(?:\.\d+)?$/;

function dateIn(told: string): number | undefined {
  const ms = Date.parse(told);
  return Number.isNaN(ms) ? undefined : ms;
}

function sinceEpoch(told: number): number {
  return told > largestSeconds ? told : told * 1000;
}

/** ChatGPT tells it in the body. */
function bodyReset(body: string, now: Date): number | undefined {
  const read = limitBody.safeParse(jsonOf(body));
  if (!read.success) return undefined;
  const { resets_at: at, resets_in_seconds: seconds } = read.data.error;
  if (at !== undefined) return sinceEpoch(at);
  return seconds === undefined ? undefined : now.getTime() + seconds * 1000;
}

/** Of a Claude subscription. */
function unifiedReset(headers: IncomingHttpHeaders): number | undefined {
  const told = text(headers["anthropic-ratelimit-unified-reset"]);
  if (told === undefined) return undefined;
  return number.test(told) ? sinceEpoch(Number(told)) : dateIn(told);
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
