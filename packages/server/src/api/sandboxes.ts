import { createRoute, z } from "@hono/zod-openapi";
import type { Sandbox } from "@opentiger/sandbox";
import { creationCredentials, giveCredentials, loginWarning } from "@opentiger/sandboxd";
import {
  agentName,
  backendNames,
  networkPolicy,
  sandboxName,
  sandboxStatus,
  sandboxSummary,
  workspaceKind,
  workspaceMount,
} from "@opentiger/schema";
import type { Parts } from "../parts.ts";
import { answers, creates, done, jsonBody, newApi } from "./api.ts";
import { idempotencyHeader, once } from "./idempotency.ts";
import { namedPage, namedPageOf, namedPageQuery } from "./paging.ts";
import { environment } from "./shapes.ts";
import { withoutAbsent } from "./without-absent.ts";

const tags = ["sandboxes"];

/** Of every route about one sandbox. */
export const sandboxParams = z.object({ name: sandboxName });
export const whereQuery = z.strictObject({
  environment: environment.default("sandbox").openapi({ description: "`host`: one of the host backend" }),
});

const summary = sandboxSummary.extend({}).openapi("Sandbox");
const path = z.string().min(1).max(4_096).startsWith("/", "must be absolute");

const newSandbox = z
  .strictObject({
    name: sandboxName.optional(),
    agent: agentName,
    workspaces: z
      .array(z.strictObject({ path, readOnly: z.boolean().default(false) }))
      .min(1)
      .max(20)
      .openapi({ description: "folders of the server's machine; the first is where work is done" }),
    kind: workspaceKind.default("direct"),
    commit: z.string().max(200).optional(),
    image: z.string().min(1).max(500).optional(),
    network: networkPolicy.optional(),
    limits: z
      .strictObject({
        memoryBytes: z.number().int().positive().optional(),
        cpus: z.number().positive().optional(),
        pids: z.number().int().positive().optional(),
      })
      .optional(),
  })
  .openapi("NewSandbox");

const made = z
  .object({
    name: z.string(),
    id: z.string(),
    agent: z.string(),
    backend: z.enum(backendNames),
    kind: workspaceKind,
    workspaces: z.array(workspaceMount),
    /** What keeps agent and supervisor apart less than usual. */
    weakness: z.string().nullable(),
    /** What is to be known of its credentials. */
    note: z.string().nullable(),
  })
  .openapi("MadeSandbox");

const listRoute = createRoute({
  method: "get",
  path: "/sandboxes",
  tags,
  summary: "All sandboxes, by name; those of others are shown, never touched",
  request: {
    query: whereQuery.extend({
      ...namedPageQuery.shape,
      status: sandboxStatus.optional(),
      agent: z.string().max(100).optional(),
    }),
  },
  responses: answers(namedPageOf(summary).openapi("Sandboxes"), "A page of them"),
});
const createSandboxRoute = createRoute({
  method: "post",
  path: "/sandboxes",
  tags,
  summary:
    "Makes a sandbox for an agent, with a folder in it, and gives it the use of this machine's credentials",
  request: { query: whereQuery, headers: idempotencyHeader, body: jsonBody(newSandbox) },
  responses: creates(made, "The sandbox, running"),
});
const showRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}",
  tags,
  summary: "Everything that is known of it",
  request: { params: sandboxParams, query: whereQuery },
  responses: answers(z.record(z.string(), z.unknown()).openapi("SandboxDetails"), "As `inspect` shows it"),
});
const removeRoute = createRoute({
  method: "delete",
  path: "/sandboxes/{name}",
  tags,
  summary: "Removes it; commits of a clone that were not fetched keep it, unless forced",
  request: {
    params: sandboxParams,
    query: whereQuery.extend({ force: z.enum(["true", "false"]).optional() }),
  },
  responses: answers(done, "It is gone"),
});
const saveRoute = createRoute({
  method: "post",
  path: "/sandboxes/{name}/save",
  tags,
  summary: "Keeps its files as an image, to start others from",
  request: {
    params: sandboxParams,
    query: whereQuery,
    body: jsonBody(z.strictObject({ tag: z.string().min(1).max(500) })),
  },
  responses: answers(z.object({ imageId: z.string() }).openapi("SavedImage"), "The image"),
});
const startRoute = verbRoute("start", "Starts it where it is stopped");
const stopRoute = verbRoute("stop", "Stops it; its files stay");
const resumeRoute = verbRoute("resume", "Lets one go on that was paused because the disk was nearly full");

export function sandboxesApi(parts: Parts) {
  const { place } = parts;
  return newApi()
    .openapi(listRoute, async (c) => {
      const { environment: where, status, agent, ...page } = c.req.valid("query");
      const wanted = (await (await place.backend(where)).list()).filter(
        (each) => (status ?? each.status) === each.status && (agent ?? each.agent) === each.agent,
      );
      // Two instances may have one of the same name.
      return c.json(
        namedPage(wanted, ({ name, id }) => `${name}/${id}`, page),
        200,
      );
    })
    .openapi(createSandboxRoute, async (c) => {
      const asked = c.req.valid("json");
      const where = c.req.valid("query").environment;
      const answer = await once(parts, c, { where, asked }, () => create(where, asked, c.req.raw.signal));
      return c.json(answer, 201);
    })
    .openapi(showRoute, async (c) => {
      const backend = await place.backend(c.req.valid("query").environment);
      return c.json(await backend.inspect(c.req.valid("param").name), 200);
    })
    .openapi(removeRoute, async (c) => {
      const { environment: where, force } = c.req.valid("query");
      const backend = await place.backend(where);
      await backend.remove(c.req.valid("param").name, { force: force === "true" });
      return c.json({ done: true as const }, 200);
    })
    .openapi(saveRoute, async (c) => {
      const backend = await place.backend(c.req.valid("query").environment);
      return c.json(await backend.save(c.req.valid("param").name, c.req.valid("json").tag), 200);
    })
    .openapi(startRoute, async (c) => {
      const backend = await place.backend(c.req.valid("query").environment);
      await (await backend.open(c.req.valid("param").name)).close();
      return c.json({ done: true as const }, 200);
    })
    .openapi(stopRoute, async (c) => {
      const backend = await place.backend(c.req.valid("query").environment);
      await backend.stop(c.req.valid("param").name);
      return c.json({ done: true as const }, 200);
    })
    .openapi(resumeRoute, async (c) => {
      const backend = await place.backend(c.req.valid("query").environment);
      await backend.resume(c.req.valid("param").name);
      return c.json({ done: true as const }, 200);
    });

  async function create(where: "host" | "sandbox", asked: z.output<typeof newSandbox>, signal: AbortSignal) {
    const backend = await place.backend(where);
    const way = place.config.get("SANDBOX_CREDENTIALS");
    const { kind, network, limits, ...rest } = asked;
    const sandbox = await backend.create({
      ...withoutAbsent(rest),
      workspaceKind: kind,
      ...(network === undefined ? {} : { network: { policy: network } }),
      ...(limits === undefined ? {} : { limits: withoutAbsent(limits) }),
      ...(where === "host" ? {} : creationCredentials(way, place.env)),
      signal,
    });
    try {
      const note = await giveCredentials(sandbox, way, place.env).then(
        ({ given, trouble }) => trouble ?? (given ? null : (loginWarning(sandbox.agent, way) ?? null)),
        (error: unknown) =>
          `it was given no credentials: ${error instanceof Error ? error.message : "unknown"}`,
      );
      return { ...shown(sandbox), note };
    } finally {
      await sandbox.close();
    }
  }
}

function shown({ name, id, agent, backend, workspaceKind: kind, workspaces, weakness }: Sandbox) {
  return { name, id, agent, backend, kind, workspaces: [...workspaces], weakness: weakness ?? null };
}

function verbRoute<Verb extends string>(verb: Verb, sentence: string) {
  return createRoute({
    method: "post",
    path: `/sandboxes/{name}/${verb}` as const,
    tags,
    summary: sentence,
    request: { params: sandboxParams, query: whereQuery },
    responses: answers(done, "It is done"),
  });
}
