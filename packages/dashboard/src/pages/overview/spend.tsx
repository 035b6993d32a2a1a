import { useQuery } from "@tanstack/react-query";
import { usageQuery } from "../../api/system.ts";
import type { Overview, UsageRows } from "../../api/types.ts";
import { classes } from "../../parts/classes.ts";
import { type BarOfDay, DayBars } from "../../parts/day-bars.tsx";
import { money, tokens } from "../../parts/numbers.tsx";
import { Card, Section } from "../../parts/page.tsx";
import { words } from "../../words/words.ts";
import { daysBack, everyDay } from "../usage/days.ts";
import { shownDays } from "./shown-days.ts";

const text = words.overview;

/** What today has cost against what it may, and the days before. */
export function Spend({ overview: { today, bound } }: { overview: Overview }) {
  const { data } = useQuery(usageQuery("day", daysBack(shownDays - 1)));
  const part = partOf(today, bound);
  return (
    <>
      <Section title={text.spend}>
        <Card className="p-4">
          <p className="flex items-baseline gap-2">
            <span className="numbers text-2xl font-semibold tracking-tight">{money(today.usd)}</span>
            <span className="text-faint">{bound.usd ? text.spentOf(money(bound.usd)) : text.noBound}</span>
          </p>
          <p className="numbers text-soft">
            {tokens(today.total)} {text.tokensToday}
            {bound.tokens && ` ${text.spentOf(tokens(bound.tokens))}`}
          </p>
          {part !== undefined && (
            <div className="mt-3 h-1.5 overflow-hidden rounded-full bg-hover">
              <div
                className={classes("h-full rounded-full", part > 0.9 ? "bg-failed" : "bg-brand")}
                style={{ width: `${Math.min(100, part * 100)}%` }}
              />
            </div>
          )}
        </Card>
      </Section>
      <Section title={text.days}>
        <Card className="p-4">
          <DayBars label={text.chart} {...barsOf(data?.items ?? [])} />
        </Card>
      </Section>
    </>
  );
}

/** How much of what may be used is used; undefined: there is no bound. */
function partOf(today: Overview["today"], bound: Overview["bound"]): number | undefined {
  if (bound.usd) return (today.usd ?? 0) / bound.usd;
  return bound.tokens ? today.total / bound.tokens : undefined;
}

/** What each day cost, or, where nothing has a price, its tokens. */
function barsOf(rows: UsageRows["items"]): { bars: BarOfDay[]; legend: string } {
  const priced = rows.some(({ usd }) => usd !== null);
  const bars = everyDay(rows, shownDays).map(({ day, usd, total }) => {
    const value = priced ? usd : total;
    const said = `${day}: ${priced ? money(usd) : tokens(total)}`;
    return { day, said, parts: [{ value, colour: "bg-brand" }] };
  });
  return { bars, legend: priced ? text.costLegend : text.tokensLegend };
}
