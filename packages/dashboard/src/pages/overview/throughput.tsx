import type { Overview } from "../../api/types.ts";
import { DayBars } from "../../parts/day-bars.tsx";
import { Card, Section } from "../../parts/page.tsx";
import { words } from "../../words/words.ts";
import { daysBack } from "../usage/days.ts";
import { shownDays } from "./shown-days.ts";

const text = words.overview;

/** How many tasks come to their end, and how. */
export function Throughput({ throughput: { doneLastHour, days } }: Pick<Overview, "throughput">) {
  const known = new Map(days.map((day) => [day.day, day]));
  const all = Array.from({ length: shownDays }, (_, index) => {
    const day = daysBack(shownDays - 1 - index);
    return known.get(day) ?? { day, done: 0, failed: 0 };
  });
  const today = all.at(-1) ?? { done: 0, failed: 0 };
  const bars = all.map(({ day, done, failed }) => ({
    day,
    said: `${day}: ${text.ended(done, failed)}`,
    parts: [
      { value: done, colour: "bg-done" },
      { value: failed, colour: "bg-failed" },
    ],
  }));
  return (
    <Section title={text.throughput}>
      <Card className="flex flex-col gap-4 p-4">
        <div>
          <p className="flex items-baseline gap-2">
            <span className="numbers text-2xl font-semibold tracking-tight">{today.done}</span>
            <span className="text-faint">{text.doneToday}</span>
          </p>
          <p className="numbers text-soft">{text.lastHour(doneLastHour, today.failed)}</p>
        </div>
        <DayBars bars={bars} label={text.throughputChart} legend={text.throughputLegend} />
      </Card>
    </Section>
  );
}
