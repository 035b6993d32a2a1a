import { createRoute, z } from "@hono/zod-openapi";
import { ServerError } from "../errors.ts";
import { type Cursor, readCursor, start } from "../live/cursor.ts";
import { followFeed, topics } from "../live/follow-feed.ts";
import { eventStreamHeaders } from "../live/streams.ts";
import type { Parts } from "../parts.ts";
import { failures, newApi } from "./api.ts";
import { loopId } from "./shapes.ts";

const query = z.strictObject({
  topics: z
    .string()
    .max(100)
    .optional()
    .openapi({ description: `some of ${topics.join(",")}; all by default`, example: "loop,task" }),
  loop: loopId.optional().openapi({ description: "of this loop alone" }),
  after: z.string().max(40).optional().openapi({
    description: "an id of this stream, where `Last-Event-ID` cannot be sent; 0: from the beginning",
  }),
});

const route = createRoute({
  method: "get",
  path: "/events",
  tags: ["events"],
  summary:
    "What happens, as it happens. With `Last-Event-ID` it goes on there, without a gap and without a double.",
  request: { query, headers: z.object({ "last-event-id": z.string().max(40).optional() }) },
  responses: {
    200: {
      description: "Server-sent events; docs/api.md says which",
      content: { "text/event-stream": { schema: z.string() } },
    },
    ...failures,
  },
});

export function eventsApi(parts: Parts) {
  return newApi().openapi(route, async (c) => {
    const { topics: asked, loop, after } = c.req.valid("query");
    const given = c.req.valid("header")["last-event-id"] ?? after;
    const from = given === undefined ? undefined : readPlace(given);
    const wanted = { topics: readTopics(asked), loop, from };
    const chunks = (signal: AbortSignal) => followFeed(parts, wanted, signal);
    return parts.streams.answer(chunks, c.env.outgoing, eventStreamHeaders);
  });
}

function readPlace(given: string): Cursor {
  const cursor = given === "0" ? start : readCursor(given);
  if (cursor) return cursor;
  throw new ServerError("usage", `${JSON.stringify(given)} is not an id of this stream`, {
    remedy: "leave it out, and read the lists anew",
  });
}

function readTopics(asked: string | undefined): ReadonlySet<string> {
  const words = asked === undefined ? topics : asked.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !topics.some((topic) => topic === word));
  if (unknown === undefined) return new Set(words);
  throw new ServerError("usage", `there is no topic ${JSON.stringify(unknown)}`, {
    remedy: `the topics are ${topics.join(", ")}`,
  });
}
