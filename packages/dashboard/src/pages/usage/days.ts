import type { UsageRows } from "../../api/types.ts";

export type UsageRow = UsageRows["items"][number];
export type Measure = "usd" | "total";

const dayMs = 86_400_000;

export interface Day {
  /** As 2026-11-16, in UTC, as usage is counted. */
  day: string;
  usd: number;
  total: number;
  runs: number;
}

/** The day so many days ago. */
export function daysBack(days: number, now = Date.now()): string {
  return new Date(now - days * dayMs).toISOString().slice(0, 10);
}

/** The last days, oldest first, those on which nothing was used too. */
export function everyDay(rows: readonly UsageRow[], days: number, now = Date.now()): Day[] {
  const known = new Map(rows.map((row) => [row.key, row]));
  return Array.from({ length: days }, (_, index) => {
    const day = daysBack(days - 1 - index, now);
    const row = known.get(day);
    return { day, usd: row?.usd ?? 0, total: row?.total ?? 0, runs: row?.runs ?? 0 };
  });
}

/** Of all of them; null: nothing of it has a known price. */
export function sumOf(rows: readonly UsageRow[]): { usd: number | null; total: number; runs: number } {
  const priced = rows.flatMap(({ usd }) => (usd === null ? [] : [usd]));
  return {
    usd: priced.length === 0 ? null : priced.reduce((sum, usd) => sum + usd, 0),
    total: rows.reduce((sum, row) => sum + row.total, 0),
    runs: rows.reduce((sum, row) => sum + row.runs, 0),
  };
}
