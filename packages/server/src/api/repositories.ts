import { createRoute, z } from "@hono/zod-openapi";
import { listRepositories } from "@opentiger/orchestrator";
import type { Parts } from "../parts.ts";
import { answers, newApi } from "./api.ts";
import { namedPageOf, namedPageQuery } from "./paging.ts";
import { time, uuid } from "./shapes.ts";
import { withoutAbsent } from "./without-absent.ts";

const repository = z
  .object({ id: uuid, path: z.string(), name: z.string(), createdAt: time })
  .openapi("Repository");

/** More than anybody works on. */
const usualLimit = 500;

const listRoute = createRoute({
  method: "get",
  path: "/repositories",
  tags: ["repositories"],
  summary: "The repositories that loops were started in, by path",
  request: { query: namedPageQuery },
  responses: answers(namedPageOf(repository).openapi("Repositories"), "A page of them"),
});

export function repositoriesApi({ place }: Parts) {
  return newApi().openapi(listRoute, async (c) => {
    const { limit = usualLimit, ...page } = withoutAbsent(c.req.valid("query"));
    const found = await listRepositories(place.database, { ...page, limit: limit + 1 });
    const items = found.slice(0, limit);
    return c.json({ items, next: found.length > limit ? (items.at(-1)?.path ?? null) : null }, 200);
  });
}
