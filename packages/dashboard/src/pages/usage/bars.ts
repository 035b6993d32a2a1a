import "uplot/dist/uPlot.min.css";
import uPlot from "uplot";
import { words } from "../../words/words.ts";
import type { Day, Measure } from "./days.ts";

export interface BarOptions {
  days: readonly Day[];
  measure: Measure;
  write(value: number): string;
}

const height = 224;

/** As wide as the name of a day, and the gap to the next. */
const tickWidth = 90;

/** Draws bars on an element, as wide as it is, until it is told to go. */
export function drawBars(element: HTMLElement, { days, measure, write }: BarOptions): () => void {
  const colour = (name: string) => colourOf(element, name);
  const tip = document.createElement("div");
  tip.className =
    "pointer-events-none absolute z-10 hidden rounded-md border border-line-strong bg-surface px-2 py-1 text-xs whitespace-nowrap shadow-over";
  const bars = uPlot.paths.bars;
  if (!bars) throw new Error("the chart has no bars");
  const axis = {
    stroke: colour("--color-faint"),
    font: '11px "Inter", sans-serif',
    ticks: { show: false },
    gap: 8,
  };
  const plot = new uPlot(
    {
      width: element.clientWidth,
      height,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { setScale: false } },
      scales: {
        x: { time: false, range: [-0.6, days.length - 0.4] },
        y: { range: (_, __, most) => [0, most || 1] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 28,
          splits: (self) => ticksOf(days.length, self.width),
          values: (_, splits) => splits.map((index) => shortDay(days[index]?.day)),
        },
        {
          ...axis,
          size: 64,
          grid: { stroke: colour("--color-line"), width: 1 },
          values: (_, splits) => splits.map(write),
        },
      ],
      series: [
        {},
        {
          fill: colour("--color-brand"),
          width: 0,
          points: { show: false },
          paths: bars({ size: [0.66, 36], radius: [0.15, 0] }),
        },
      ],
      hooks: { setCursor: [(self) => showTip(self, tip, days, (day) => write(day[measure]))] },
    },
    [days.map((_, index) => index), days.map((day) => day[measure])],
    element,
  );
  plot.over.append(tip);
  const sized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
  sized.observe(element);
  return () => {
    sized.disconnect();
    plot.destroy();
  };
}

/** Some days of them, so that their names have room. */
function ticksOf(count: number, width: number): number[] {
  const step = Math.max(1, Math.ceil((count * tickWidth) / width));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => count - 1 - index * step).reverse();
}

function showTip(plot: uPlot, tip: HTMLElement, days: readonly Day[], write: (day: Day) => string): void {
  const index = plot.cursor.idx;
  const day = index === null || index === undefined ? undefined : days[index];
  tip.classList.toggle("hidden", !day);
  if (!day || index === null || index === undefined) return;
  tip.textContent = `${shortDay(day.day)}  ${write(day)}`;
  const left = plot.valToPos(index, "x");
  tip.style.left = `${Math.min(left, plot.over.clientWidth - tip.offsetWidth - 4)}px`;
  tip.style.top = "0";
}

function shortDay(day: string | undefined): string {
  if (day === undefined) return "";
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(words.common.locale, {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
}

/** A token as a canvas understands it: one that is light and dark at once is resolved first. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
