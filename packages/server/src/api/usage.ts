import { createRoute, z } from "@hono/zod-openapi";
import type { Parts } from "../parts.ts";
import { answers, newApi } from "./api.ts";
import { usageShape } from "./shapes.ts";
import { usageBy } from "./usage-sums.ts";

const usageGroups = ["day", "loop", "agent", "model", "role"] as const;

const day = z.iso.date();
const row = usageShape.extend({ key: z.string(), runs: z.number().int() }).openapi("UsageRow");

const route = createRoute({
  method: "get",
  path: "/usage",
  tags: ["usage"],
  summary: "Tokens and cost of all runs, by day, loop, agent, model or role",
  request: {
    query: z.object({
      by: z.enum(usageGroups).default("day"),
      from: day.optional().openapi({ description: "the first day, in UTC; 30 days ago by default" }),
      to: day.optional().openapi({ description: "the last day" }),
    }),
  },
  responses: answers(z.object({ items: z.array(row) }).openapi("UsageRows"), "One row each; at most 500"),
});

export function usageApi({ place }: Parts) {
  return newApi().openapi(route, async (c) =>
    c.json({ items: await usageBy(place.database, c.req.valid("query")) }, 200),
  );
}
