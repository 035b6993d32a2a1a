import type { Series } from "./measure.ts";

export interface Goal {
  what: string;
  ratio: number;
  goal: string;
  met: boolean;
}

/** What one part of the page found. */
export interface Part {
  /** Markdown, in its order. */
  tables: readonly string[];
  goals: readonly Goal[];
}

export function atMost(what: string, measured: number, bound: number): Goal {
  return { what, ratio: measured, goal: `≤ ${bound}`, met: measured <= bound };
}

export function atLeast(what: string, measured: number, bound: number): Goal {
  return { what, ratio: measured, goal: `≥ ${bound}`, met: measured >= bound };
}

/** A Markdown table of times, each beside the one they are compared with. */
export function timesTable(title: string, series: readonly Series[], baseline: string): string {
  const base = series.find(({ name }) => name === baseline)?.p50 ?? Number.NaN;
  const rows = series.map(({ name, p50, p95, runs, failures }) =>
    [name, ms(p50), ms(p95), `${(p50 / base).toFixed(2)} ×`, `${runs}/${runs + failures}`].join(" | "),
  );
  return [
    `### ${title}`,
    "",
    `| what | p50 ms | p95 ms | p50 beside ${baseline} | succeeded |`,
    "|---|---:|---:|---:|---:|",
    ...rows.map((row) => `| ${row} |`),
    "",
  ].join("\n");
}

export function goalsTable(goals: readonly Goal[]): string {
  const rows = goals.map(
    ({ what, ratio, goal, met }) => `| ${what} | ${ratio.toFixed(2)} | ${goal} | ${met ? "yes" : "**no**"} |`,
  );
  return ["### Goals", "", "| figure | measured | goal | met |", "|---|---:|---:|---|", ...rows, ""].join(
    "\n",
  );
}

/** p50 of one series over p50 of another. */
export function ratio(series: readonly Series[], name: string, beside: string): number {
  const find = (wanted: string): number => series.find((one) => one.name === wanted)?.p50 ?? Number.NaN;
  return find(name) / find(beside);
}

function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}
