import { createRoute, z } from "@hono/zod-openapi";
import { usageBy } from "@opentiger/orchestrator";
import type { Parts } from "../parts.ts";
import { answers, newApi } from "./api.ts";
import { namedPageOf, namedPageQuery } from "./paging.ts";
import { usageShape } from "./shapes.ts";

const usageGroups = ["day", "loop", "agent", "model", "role"] as const;

const day = z.iso.date();
const row = usageShape.extend({ key: z.string(), runs: z.number().int() }).openapi("UsageRow");

const route = createRoute({
  method: "get",
  path: "/usage",
  tags: ["usage"],
  summary: "Tokens and cost of all runs, by day, loop, agent, model or role",
  request: {
    query: namedPageQuery.extend({
      by: z.enum(usageGroups).default("day"),
      from: day.optional().openapi({
        description:
          "the first day, in UTC; 30 days ago by default. A run counts on the day on which it ends",
      }),
      to: day.optional().openapi({ description: "the last day" }),
    }),
  },
  responses: answers(
    namedPageOf(row).openapi("UsageRows"),
    "A row each; the largest key first, so days go backwards",
  ),
});

export function usageApi({ place }: Parts) {
  return newApi().openapi(route, async (c) =>
    c.json(await usageBy(place.database, c.req.valid("query")), 200),
  );
}
