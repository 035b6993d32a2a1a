import { useQuery } from "@tanstack/react-query";
import { usageQuery } from "../../api/system.ts";
import type { Overview, UsageRows } from "../../api/types.ts";
import { classes } from "../../parts/classes.ts";
import { money, tokens } from "../../parts/numbers.tsx";
import { Card, Section } from "../../parts/page.tsx";
import { words } from "../../words/words.ts";

const text = words.overview;
const days = 14;

/** What today has cost against what it may, and the days before. */
export function Spend({ overview: { today, bound } }: { overview: Overview }) {
  const { data } = useQuery(usageQuery("day", dayBefore(days - 1)));
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
          <Bars rows={data?.items ?? []} />
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

/** A bar a day: what it cost, or, where nothing has a price, its tokens. */
function Bars({ rows }: { rows: UsageRows["items"] }) {
  const priced = rows.some(({ usd }) => usd !== null);
  const byDay = new Map(rows.map((row) => [row.key, priced ? (row.usd ?? 0) : row.total]));
  const all = Array.from({ length: days }, (_, index) => dayBefore(days - 1 - index));
  const most = Math.max(...byDay.values(), 0) || 1;
  const said = (day: string) =>
    `${day}: ${priced ? money(byDay.get(day) ?? 0) : tokens(byDay.get(day) ?? 0)}`;
  return (
    <figure>
      <div
        className="flex h-24 items-end gap-1"
        role="img"
        aria-label={`${text.chart}. ${all.map(said).join(", ")}`}
      >
        {all.map((day) => (
          <div key={day} title={said(day)} className="flex h-full flex-1 items-end rounded-md bg-sunken">
            <div
              className="w-full rounded-md bg-brand"
              style={{ height: `${((byDay.get(day) ?? 0) / most) * 100}%` }}
            />
          </div>
        ))}
      </div>
      <figcaption className="numbers mt-2 flex justify-between text-xs text-faint">
        <span>{all[0]?.slice(5)}</span>
        <span>{priced ? text.costLegend : text.tokensLegend}</span>
        <span>{all.at(-1)?.slice(5)}</span>
      </figcaption>
    </figure>
  );
}

/** As the server has it: in UTC. */
function dayBefore(count: number): string {
  return new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);
}
