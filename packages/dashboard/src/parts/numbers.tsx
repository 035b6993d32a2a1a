import { words } from "../words/words.ts";
import { classes } from "./classes.ts";

const whole = new Intl.NumberFormat(words.common.locale);
const short = new Intl.NumberFormat(words.common.locale, { notation: "compact", maximumFractionDigits: 1 });

/** Dollars, right under each other. null: nothing of it has a known price. */
export function Money({ usd, className }: { usd: number | null | undefined; className?: string }) {
  return <span className={classes("numbers", className)}>{money(usd)}</span>;
}

/** Short where it is long; the whole number is in the title. */
export function Tokens({ count, className }: { count: number | null | undefined; className?: string }) {
  if (count === null || count === undefined) return <span>{words.common.dash}</span>;
  return (
    <span className={classes("numbers", className)} title={`${whole.format(count)} ${words.common.tokens}`}>
      {tokens(count)}
    </span>
  );
}

export function money(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return words.common.dash;
  return `$${usd.toFixed(usd !== 0 && usd < 0.1 ? 4 : 2)}`;
}

export function tokens(count: number): string {
  return count < 10_000 ? whole.format(count) : short.format(count);
}

export function bytes(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let left = count;
  let unit = 0;
  while (left >= 1_000 && unit < units.length - 1) {
    left /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || left >= 100 ? Math.round(left) : left.toFixed(1)} ${units[unit]}`;
}

/** All kinds of tokens of a run together. */
export function tokenTotal(
  count: { input: number; output: number; cacheRead: number; cacheWrite: number } | null,
): number | null {
  return count && count.input + count.output + count.cacheRead + count.cacheWrite;
}
