import { UsageError } from "../errors.ts";

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `90`, `90s`, `1.5m`, `2h`, `500ms`: a number without a unit is seconds, as `timeout(1)` has it. */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const ms = Math.round(Number(match?.[1]) * (unitMs[match?.[2] ?? "s"] ?? Number.NaN));
  if (Number.isSafeInteger(ms) && ms > 0) return ms;
  throw new UsageError(
    `"${text}" is not a duration`,
    "Write seconds or a number with a unit: 90, 90s, 15m, 2h.",
  );
}
