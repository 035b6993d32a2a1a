import { useEffect, useRef } from "react";
import { money, tokens } from "../../parts/numbers.tsx";
import { sayFailure } from "../../parts/toast.tsx";
import { useScheme } from "../../theme/scheme.ts";
import { words } from "../../words/words.ts";
import type { Day, Measure } from "./days.ts";

const { usage: text } = words;

/** A bar a day. The library is loaded with the first chart; the numbers are in a table for those who do not see it. */
export function DayChart({ days, measure }: { days: readonly Day[]; measure: Measure }) {
  const box = useRef<HTMLDivElement>(null);
  const [scheme] = useScheme();
  const key = JSON.stringify(days);
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read anew, and days by their text
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let remove: (() => void) | undefined;
    let left = false;
    void import("./bars.ts").then(({ drawBars }) => {
      if (!left) remove = drawBars(element, { days, measure, write: (value) => written(measure, value) });
    }, sayFailure);
    return () => {
      left = true;
      remove?.();
    };
  }, [key, measure, scheme]);
  return (
    <>
      <div ref={box} aria-hidden className="h-56 w-full" />
      <table className="sr-only">
        <caption>{text.chart}</caption>
        <tbody>
          {days.map((day) => (
            <tr key={day.day}>
              <th scope="row">{day.day}</th>
              <td>{written(measure, day[measure])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function written(measure: Measure, value: number): string {
  return measure === "usd" ? money(value) : tokens(Math.round(value));
}
