import { createRoute, z } from "@hono/zod-openapi";
import { learnedRules, listedPort, networkLogRow, publishedPort } from "@opentiger/sandboxd";
import { networkPolicy, networkSettings } from "@opentiger/schema";
import type { Parts } from "../parts.ts";
import { answers, done, jsonBody, newApi } from "./api.ts";
import { namedPage, namedPageOf, namedPageQuery, pageOf } from "./paging.ts";
import { sandboxParams } from "./sandboxes.ts";

const tags = ["sandboxes"];
const words = z.array(z.string().min(1).max(300)).max(200).optional();
const port = z.number().int().min(1).max(65_535);

const settings = networkSettings.extend({}).openapi("NetworkSettings");
const change = z
  .strictObject({
    policy: networkPolicy.optional(),
    allowHost: words,
    blockHost: words,
    bypassHost: words,
    allowCidr: words,
    blockCidr: words,
    bypassCidr: words,
  })
  .openapi("NetworkChange");
const publication = z.strictObject({ inside: port, publish: port.optional() }).openapi("Publication");
const published = publishedPort.extend({}).openapi("PublishedPort");
const listed = listedPort.extend({ open: z.boolean() }).openapi("ListedPort");
const ports = pageOf(listed).openapi("PublishedPorts");

const showRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/network",
  tags,
  summary: "What it may reach",
  request: { params: sandboxParams },
  responses: answers(settings, "Its policy and rules"),
});
const changeRoute = createRoute({
  method: "post",
  path: "/sandboxes/{name}/network",
  tags,
  summary: "Changes what it may reach, from the next connection on; what is not allowed any more is cut",
  request: { params: sandboxParams, body: jsonBody(change) },
  responses: answers(settings, "Its policy and rules, as they are then"),
});
const logRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/network/log",
  tags,
  summary: "What it reached, or tried to, the latest first",
  request: {
    params: sandboxParams,
    query: namedPageQuery.extend({
      host: z.string().max(300).optional(),
      verdict: z.enum(["allowed", "blocked", "failed"]).optional().openapi({
        description: "those where this has happened",
      }),
    }),
  },
  responses: answers(namedPageOf(networkLogRow).openapi("NetworkLog"), "A row for each host and port"),
});
const learnedRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/network/learned",
  tags,
  summary: "The rules that would allow what it reached, and nothing else",
  request: { params: sandboxParams },
  responses: answers(learnedRules.extend({}).openapi("LearnedRules"), "Rules"),
});
const portsRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/ports",
  tags,
  summary: "Ports of this machine's loopback that lead into it, and whether they are open",
  request: { params: sandboxParams },
  responses: answers(ports, "All of them"),
});
const publishRoute = createRoute({
  method: "post",
  path: "/sandboxes/{name}/ports",
  tags,
  summary: "Publishes a port of it on this machine's loopback",
  request: { params: sandboxParams, body: jsonBody(publication) },
  responses: answers(published, "Where it is"),
});
const unpublishRoute = createRoute({
  method: "delete",
  path: "/sandboxes/{name}/ports/{port}",
  tags,
  summary: "Closes a published port",
  request: { params: sandboxParams.extend({ port: z.coerce.number().int().min(1).max(65_535) }) },
  responses: answers(done, "It is closed"),
});

/** sandboxd knows; this only asks it. */
export function sandboxNetworkApi({ place: { sandboxd } }: Parts) {
  const at = (name: string, rest: string) => `/sandboxes/${encodeURIComponent(name)}/${rest}`;
  return newApi()
    .openapi(showRoute, async (c) => {
      const path = at(c.req.valid("param").name, "network");
      return c.json(await sandboxd.ask({ method: "GET", path }, networkSettings), 200);
    })
    .openapi(changeRoute, async (c) => {
      const path = at(c.req.valid("param").name, "network");
      const body = c.req.valid("json");
      return c.json(await sandboxd.ask({ method: "POST", path, body }, networkSettings), 200);
    })
    .openapi(logRoute, async (c) => {
      const path = `/network-log?sandbox=${encodeURIComponent(c.req.valid("param").name)}`;
      const { host, verdict, ...page } = c.req.valid("query");
      const rows = await sandboxd.ask({ method: "GET", path }, z.array(networkLogRow));
      const wanted = rows.filter(
        (row) => (host ?? row.host) === row.host && (verdict === undefined || row[verdict] > 0),
      );
      const placeOf = (row: (typeof rows)[number]) => `${row.lastSeen} ${row.host}:${row.port}`;
      return c.json(namedPage(wanted, placeOf, page, "desc"), 200);
    })
    .openapi(learnedRoute, async (c) => {
      const path = at(c.req.valid("param").name, "learned");
      return c.json(await sandboxd.ask({ method: "GET", path }, learnedRules), 200);
    })
    .openapi(portsRoute, async (c) => {
      const path = at(c.req.valid("param").name, "ports");
      // A handful, by hand: they are one page.
      const items = await sandboxd.ask({ method: "GET", path }, z.array(listedPort));
      return c.json({ items, next: null }, 200);
    })
    .openapi(publishRoute, async (c) => {
      const path = at(c.req.valid("param").name, "ports");
      const body = c.req.valid("json");
      return c.json(await sandboxd.ask({ method: "POST", path, body }, publishedPort), 200);
    })
    .openapi(unpublishRoute, async (c) => {
      const { name, port: number } = c.req.valid("param");
      await sandboxd.ask({ method: "DELETE", path: at(name, `ports/${number}`) }, z.unknown());
      return c.json({ done: true as const }, 200);
    });
}
