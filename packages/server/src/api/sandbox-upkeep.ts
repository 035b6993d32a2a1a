import { createRoute, z } from "@hono/zod-openapi";
import { DockerBackend, mostParked } from "@opentiger/sandbox";
import { networkPolicy } from "@opentiger/schema";
import { ServerError } from "../errors.ts";
import type { Parts } from "../parts.ts";
import { answers, jsonBody, newApi } from "./api.ts";
import { whereQuery } from "./sandboxes.ts";
import { withoutAbsent } from "./without-absent.ts";

const tags = ["sandboxes"];

const pruned = z.object({ collected: z.array(z.string()) }).openapi("Collected");
const reset = z.object({ removed: z.array(z.string()) }).openapi("Removed");
const pool = z
  .object({
    size: z.number().int().openapi({ description: "how many are to be parked; 0: the pool is off" }),
    parked: z.number().int(),
  })
  .openapi("Pool");
const poolChange = z
  .strictObject({
    size: z.number().int().min(0).max(mostParked),
    image: z.string().min(1).max(500).optional().openapi({ description: "the worker image by default" }),
    network: networkPolicy.optional(),
  })
  .openapi("PoolChange");

const pruneRoute = createRoute({
  method: "post",
  path: "/sandboxes/prune",
  tags,
  summary: "Collects what crashed creates and half-done removals left; never a sandbox in use",
  request: { query: whereQuery },
  responses: answers(pruned, "What was collected"),
});
const resetRoute = createRoute({
  method: "post",
  path: "/sandboxes/reset",
  tags,
  summary: "Removes every sandbox of this instance, with everything in it",
  request: {
    query: whereQuery.extend({
      force: z.enum(["true", "false"]).optional().openapi({ description: "nothing is removed without it" }),
    }),
  },
  responses: answers(reset, "Those that were removed"),
});
const poolRoute = createRoute({
  method: "get",
  path: "/pool",
  tags,
  summary: "How many sandboxes are kept ready for those who want a clone",
  responses: answers(pool, "The pool"),
});
const changeRoute = createRoute({
  method: "put",
  path: "/pool",
  tags,
  summary: "Keeps so many ready, from now on; 0 turns the pool off",
  request: { body: jsonBody(poolChange) },
  responses: answers(pool, "The pool, filled or emptied"),
});

/** What is done to all sandboxes together. */
export function sandboxUpkeepApi({ place }: Parts) {
  return newApi()
    .openapi(pruneRoute, async (c) => {
      const backend = await place.backend(c.req.valid("query").environment);
      return c.json({ collected: await backend.prune() }, 200);
    })
    .openapi(resetRoute, async (c) => {
      const { environment, force } = c.req.valid("query");
      if (force !== "true")
        throw new ServerError("usage", "this removes every sandbox, with unfetched commits and all files", {
          remedy: "say that it is meant: ?force=true",
        });
      return c.json({ removed: await (await place.backend(environment)).reset() }, 200);
    })
    .openapi(poolRoute, async (c) => c.json(await (await docker()).poolStatus(), 200))
    .openapi(changeRoute, async (c) => {
      const settings = withoutAbsent(c.req.valid("json"));
      const backend = await docker();
      await (settings.size === 0 ? backend.drainPool() : backend.fillPool(settings, c.req.raw.signal));
      return c.json(await backend.poolStatus(), 200);
    });

  async function docker(): Promise<DockerBackend> {
    const backend = await place.backend("sandbox");
    if (backend instanceof DockerBackend) return backend;
    throw new ServerError("unsupported", "there is no pool here: nothing needs to be prepared", {
      remedy: "let sandboxes be made by Docker",
    });
  }
}
