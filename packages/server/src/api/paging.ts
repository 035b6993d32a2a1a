import { z } from "@hono/zod-openapi";

/** A number in a query. */
export function numberInQuery(least: number, most: number) {
  return z.coerce.number().int().min(least).max(most);
}

/** Of every list: where it goes on, and how much is wanted. */
export const pageQuery = z.strictObject({
  after: numberInQuery(0, Number.MAX_SAFE_INTEGER).optional().openapi({
    description: "`next` of the page before",
  }),
  limit: numberInQuery(1, 500).optional().openapi({ description: "how many; 50 by default" }),
});

/** Of every list: what there is, and where the next page begins. */
export function pageOf<Shape extends z.ZodType>(item: Shape) {
  return z.object({ items: z.array(item), next: z.number().int().nullable() });
}

/** As many as a person has of what has a name. */
const usualNamed = 500;

/** The same for lists in the order of names. */
export const namedPageQuery = z.strictObject({
  after: z.string().max(4_096).optional().openapi({ description: "`next` of the page before" }),
  limit: numberInQuery(1, usualNamed)
    .optional()
    .openapi({ description: `how many; ${usualNamed} by default` }),
});

export function namedPageOf<Shape extends z.ZodType>(item: Shape) {
  return z.object({ items: z.array(item), next: z.string().nullable() });
}

interface NamedPage<T> {
  items: T[];
  next: string | null;
}

/** A page of what is there as a whole, in the order of names as machines have it: the same everywhere. */
export function namedPage<T>(
  all: readonly T[],
  nameOf: (item: T) => string,
  { after, limit = usualNamed }: { after?: string | undefined; limit?: number | undefined },
  order: "asc" | "desc" = "asc",
): NamedPage<T> {
  const comesAfter = (left: string, right: string) => (order === "asc" ? left > right : left < right);
  const rest = all
    .filter((item) => after === undefined || comesAfter(nameOf(item), after))
    .toSorted((left, right) => (comesAfter(nameOf(left), nameOf(right)) ? 1 : -1));
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rest.length > limit && last !== undefined ? nameOf(last) : null };
}
