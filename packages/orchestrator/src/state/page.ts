import { z } from "zod";
import { allRows, type Queryable } from "./rows.ts";

/** A part of a list: what comes after a place in it, which stays the same whatever is added meanwhile. */
export interface PageRequest {
  /** `next` of the page before. */
  after?: number | undefined;
  limit?: number | undefined;
}

export interface Page<T> {
  items: T[];
  /** Where the next page begins; null at the end. */
  next: number | null;
}

const usualLimit = 50;

/** More than a page shows, and little enough to be held in memory. */
const maxLimit = 500;

/**
 * Asks for one page. The statement has `$1`, the place (null at the beginning), and `$2`, how many; further values
 * follow. Each row has its place as `place`.
 */
export async function onePage<T>(
  on: Queryable,
  shape: z.ZodType<T>,
  text: string,
  { after, limit = usualLimit }: PageRequest,
  values: readonly unknown[] = [],
): Promise<Page<T>> {
  const count = Math.min(Math.max(1, Math.trunc(limit)), maxLimit);
  const placed = z.object({ place: z.number() }).and(shape);
  const rows = await allRows(on, placed, text, [after ?? null, count + 1, ...values]);
  const shown = rows.slice(0, count);
  return {
    items: shown.map((row) => shape.parse(row)),
    next: rows.length > count ? (shown.at(-1)?.place ?? null) : null,
  };
}

/** As many as are asked for, also where that is more than one page: page by page, and where it goes on behind them. */
export async function severalPages<T>(
  limit: number,
  ask: (page: PageRequest) => Promise<Page<T>>,
): Promise<Page<T>> {
  const items: T[] = [];
  let next: number | null = null;
  do {
    const page: Page<T> = await ask({
      after: next ?? undefined,
      limit: Math.min(limit - items.length, maxLimit),
    });
    items.push(...page.items);
    next = page.next;
  } while (next !== null && items.length < limit);
  return { items, next };
}
