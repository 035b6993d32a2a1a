import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ChartNoAxesColumn } from "lucide-react";
import { usageQuery } from "../../api/system.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { EmptyState } from "../../parts/notes.tsx";
import { money, tokens } from "../../parts/numbers.tsx";
import { Card, Page } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Segments } from "../../parts/segments.tsx";
import { useSearchChange } from "../../parts/use-search-change.ts";
import { words } from "../../words/words.ts";
import { DayChart } from "./day-chart.tsx";
import { daysBack, everyDay, sumOf } from "./days.ts";
import { UsageTable } from "./usage-table.tsx";

const { usage: text } = words;
const ranges = [
  { value: "week", label: text.ranges.week, days: 7 },
  { value: "month", label: text.ranges.month, days: 30 },
  { value: "quarter", label: text.ranges.quarter, days: 90 },
] as const;
const measures = [
  { value: "usd", label: text.cost },
  { value: "total", label: text.tokens },
] as const;

/** Tokens and cost of all runs: by day as a chart, and by agent, model, loop and role. */
export function UsagePage() {
  const { from: asked, measure: askedMeasure } = useSearch({ strict: false });
  const change = useSearchChange();
  const measure = measures.find(({ value }) => value === askedMeasure)?.value ?? "usd";
  const range = ranges.find(({ value }) => value === asked) ?? ranges[1];
  const from = daysBack(range.days - 1);
  const query = useQuery(usageQuery("day", from));
  const choose = (value: string) => change({ from: value });
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={<Segments label={text.range} choices={ranges} value={range.value} onChoose={choose} />}
    >
      <QueryView query={query}>
        {({ items }) => {
          if (items.length === 0)
            return (
              <EmptyState
                icon={ChartNoAxesColumn}
                title={text.empty}
                action={<ButtonLink to="/loops/new">{text.newLoop}</ButtonLink>}
              >
                {text.emptyHint}
              </EmptyState>
            );
          const sum = sumOf(items);
          return (
            <>
              <Facts
                facts={[
                  { label: text.cost, value: money(sum.usd) },
                  { label: text.tokens, value: tokens(sum.total) },
                  { label: text.runs, value: tokens(sum.runs) },
                  { label: text.perDay, value: money(sum.usd === null ? null : sum.usd / range.days) },
                ]}
              />
              <Card className="mb-8 p-4">
                <div className="mb-3 flex items-center justify-between gap-3">
                  <h2 className="text-base font-semibold">{text.chart}</h2>
                  <Segments
                    label={text.measure}
                    choices={measures}
                    value={measure}
                    onChoose={(value) => change({ measure: value })}
                  />
                </div>
                <DayChart days={everyDay(items, range.days)} measure={measure} />
              </Card>
              <UsageTable from={from} />
            </>
          );
        }}
      </QueryView>
    </Page>
  );
}
