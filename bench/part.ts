import type { Goal } from "./table.ts";

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
