import { classes } from "./classes.ts";

export interface BarOfDay {
  day: string;
  /** What the day was like, in words. */
  said: string;
  /** From the ground up. */
  parts: readonly { value: number; colour: string }[];
}

/** A small chart: a bar a day, all to one scale, with the numbers in words for those who do not see it. */
export function DayBars({
  bars,
  label,
  legend,
}: {
  bars: readonly BarOfDay[];
  label: string;
  legend: string;
}) {
  const heightOf = ({ parts }: BarOfDay) => parts.reduce((sum, { value }) => sum + value, 0);
  const most = Math.max(...bars.map(heightOf), 0) || 1;
  return (
    <figure>
      <div
        className="flex h-24 items-end gap-1"
        role="img"
        aria-label={`${label}. ${bars.map(({ said }) => said).join(", ")}`}
      >
        {bars.map(({ day, said, parts }) => (
          <div key={day} title={said} className="flex h-full flex-1 flex-col-reverse rounded-md bg-sunken">
            {parts.map(({ value, colour }) => (
              <div
                key={colour}
                className={classes("w-full first:rounded-b-md last:rounded-t-md", colour)}
                style={{ height: `${(value / most) * 100}%` }}
              />
            ))}
          </div>
        ))}
      </div>
      <figcaption className="numbers mt-2 flex justify-between text-xs text-faint">
        <span>{bars[0]?.day.slice(5)}</span>
        <span>{legend}</span>
        <span>{bars.at(-1)?.day.slice(5)}</span>
      </figcaption>
    </figure>
  );
}
