import { createRoute, z } from "@hono/zod-openapi";
import {
  discardLoop,
  findRepository,
  LoopRepository,
  type LoopRow,
  listEvents,
  mergeLoop,
  ownerOf,
  usageOfLoop,
} from "@opentiger/orchestrator";
import { ServerError } from "../errors.ts";
import type { Parts } from "../parts.ts";
import { answers, failures, newApi, textAnswer } from "./api.ts";
import { existing } from "./loops.ts";
import { pageOf, pageQuery } from "./paging.ts";
import { eventShape, loopId, loopShape, usageShape, uuid } from "./shapes.ts";
import { withoutAbsent } from "./without-absent.ts";

const tags = ["loops"];
const params = z.object({ id: loopId });

const merged = z
  .union([
    z.object({
      merged: z.string(),
      into: z.string(),
      how: z.enum(["fast-forward", "merge", "nothing"]),
    }),
    /** The checkout is as it was. */
    z.object({ conflicts: z.array(z.string()), into: z.string() }),
  ])
  .openapi("Merged");

const mergeRoute = createRoute({
  method: "post",
  path: "/loops/{id}/merge",
  tags,
  summary:
    "Merges the loop's branch into the branch that the user has checked out, if that checkout is clean",
  request: { params },
  responses: answers(merged, "What came of it; with conflicts nothing was changed"),
});

const patchRoute = createRoute({
  method: "get",
  path: "/loops/{id}/patch",
  tags,
  summary: "The loop's commits, as `git am` takes them",
  request: { params },
  responses: {
    200: { description: "Patches", content: { "text/plain": { schema: z.string() } } },
    ...failures,
  },
});

const discardRoute = createRoute({
  method: "post",
  path: "/loops/{id}/discard",
  tags,
  summary: "Removes the branch of a loop that has ended; what was merged stays",
  request: { params },
  responses: answers(loopShape, "The loop, without a branch"),
});

const eventsRoute = createRoute({
  method: "get",
  path: "/loops/{id}/events",
  tags,
  summary: "What happened in it, and who made it happen; oldest first, or the newest with `order=desc`",
  request: {
    params,
    query: pageQuery.extend({
      task: uuid.optional(),
      run: uuid.optional(),
      order: z.enum(["asc", "desc"]).optional(),
    }),
  },
  responses: answers(pageOf(eventShape).openapi("Events"), "A page of events"),
});

const usageRoute = createRoute({
  method: "get",
  path: "/loops/{id}/usage",
  tags,
  summary: "What it has used",
  request: { params },
  responses: answers(usageShape, "Tokens and cost"),
});

export function loopResultsApi(parts: Parts) {
  const { place, streams } = parts;
  return newApi()
    .openapi(mergeRoute, async (c) => {
      const { id } = await existing(parts, c.req.valid("param").id);
      return c.json(await mergeLoop(place, id, c.req.raw.signal), 200);
    })
    .openapi(patchRoute, async (c) => {
      const loop = await existing(parts, c.req.valid("param").id);
      const { oid, base, repository } = await branchOf(parts, loop);
      const headers = {
        "content-type": "text/plain; charset=utf-8",
        "content-disposition": `attachment; filename="${loop.id}.patch"`,
      };
      return textAnswer(streams.answer(() => repository.patch(base, oid), c.env.outgoing, headers));
    })
    .openapi(discardRoute, async (c) => {
      const { id } = c.req.valid("param");
      return c.json(await discardLoop(place, id, c.req.raw.signal), 200);
    })
    .openapi(eventsRoute, async (c) => {
      const { id } = await existing(parts, c.req.valid("param").id);
      const query = withoutAbsent(c.req.valid("query"));
      const { items, next } = await listEvents(place.database, { loop: id, ...query });
      const owned = items.map((event) => ({ ...event, owner: ownerOf(event.type, event.data) }));
      return c.json({ items: owned, next }, 200);
    })
    .openapi(usageRoute, async (c) => {
      const { id } = await existing(parts, c.req.valid("param").id);
      return c.json(await usageOfLoop(place.database, id), 200);
    });
}

async function branchOf(
  { place }: Parts,
  { id, branch, branchOid: oid, baseOid: base, repository }: LoopRow,
) {
  const known = await findRepository(place.database, repository);
  if (branch === null || oid === null || base === null || !known || oid === base) {
    throw new ServerError("not_allowed_now", `loop ${id} has nothing on its branch`, {
      remedy: "it gets commits when its first task has been judged and merged",
    });
  }
  return { oid, base, repository: await LoopRepository.open(place, known) };
}
