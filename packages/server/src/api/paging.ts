import { z } from "@hono/zod-openapi";

/** A number in a query. */
export function numberInQuery(least: number, most: number) {
  return z.coerce.number().int().min(least).max(most);
}

/** Of every list: where it goes on, and how much is wanted. */
export const pageQuery = z.object({
  after: numberInQuery(0, Number.MAX_SAFE_INTEGER).optional().openapi({
    description: "`next` of the page before",
  }),
  limit: numberInQuery(1, 500).optional().openapi({ description: "how many; 50 by default" }),
});

/** Of every list: what there is, and where the next page begins. */
export function pageOf<Shape extends z.ZodType>(item: Shape) {
  return z.object({ items: z.array(item), next: z.number().int().nullable() });
}
