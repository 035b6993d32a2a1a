import { describe, expect, test } from "vitest";
import { everyDay, sumOf, type UsageRow } from "./days.ts";

const now = Date.parse("2026-03-02T10:00:00Z");
const row = (key: string, usd: number | null): UsageRow => ({
  key,
  usd,
  runs: 2,
  total: 10,
  tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
});

describe("usage by day", () => {
  test("has every day, oldest first, also over the end of a month and where nothing was used", () => {
    const days = everyDay([row("2026-03-02", 1.5), row("2026-02-28", null)], 4, now);
    expect(days.map(({ day, usd, runs }) => [day, usd, runs])).toEqual([
      ["2026-02-27", 0, 0],
      ["2026-02-28", 0, 2],
      ["2026-03-01", 0, 0],
      ["2026-03-02", 1.5, 2],
    ]);
  });

  test("a sum of what has no price is no price, and not nothing", () => {
    expect(sumOf([row("a", null)])).toEqual({ usd: null, total: 10, runs: 2 });
    expect(sumOf([row("a", null), row("b", 2)])).toEqual({ usd: 2, total: 20, runs: 4 });
  });
});
