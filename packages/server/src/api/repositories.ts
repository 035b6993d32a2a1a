import { createRoute, z } from "@hono/zod-openapi";
import { listRepositories } from "@opentiger/orchestrator";
import type { Parts } from "../parts.ts";
import { answers, newApi } from "./api.ts";
import { numberInQuery } from "./paging.ts";
import { time, uuid } from "./shapes.ts";
import { withoutAbsent } from "./without-absent.ts";

const repository = z
  .object({ id: uuid, path: z.string(), name: z.string(), createdAt: time })
  .openapi("Repository");

const listRoute = createRoute({
  method: "get",
  path: "/repositories",
  tags: ["repositories"],
  summary: "The repositories that loops were started in, by path",
  request: {
    query: z.object({
      after: z.string().max(4_096).optional().openapi({ description: "the last path of the page before" }),
      limit: numberInQuery(1, 500).optional(),
    }),
  },
  responses: answers(z.object({ items: z.array(repository) }).openapi("Repositories"), "A page of them"),
});

export function repositoriesApi({ place }: Parts) {
  return newApi().openapi(listRoute, async (c) =>
    c.json({ items: await listRepositories(place.database, withoutAbsent(c.req.valid("query"))) }, 200),
  );
}
