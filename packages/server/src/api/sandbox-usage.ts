import { createRoute, z } from "@hono/zod-openapi";
import { grantCredentials, sandboxAuth, sandboxUsage } from "@opentiger/sandboxd";
import type { Parts } from "../parts.ts";
import { answers, done, jsonBody, newApi } from "./api.ts";
import { sandboxParams } from "./sandboxes.ts";

const tags = ["sandboxes"];
const usage = sandboxUsage.extend({}).openapi("SandboxUsage");
const auth = sandboxAuth.extend({}).openapi("SandboxAuth");
const limits = z
  .strictObject({
    tokens: z.number().positive().optional(),
    usd: z.number().positive().optional(),
    requests: z.number().int().positive().optional(),
    seconds: z.number().positive().optional(),
  })
  .openapi("SandboxBudget");

const usageRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/usage",
  tags,
  summary: "What its agent has used of its model, and what it may",
  request: { params: sandboxParams },
  responses: answers(usage, "Totals and budget"),
});
const budgetRoute = createRoute({
  method: "post",
  path: "/sandboxes/{name}/budget",
  tags,
  summary: "Limits what its agent may use; beyond it the next request is refused. Empty: no limit.",
  request: { params: sandboxParams, body: jsonBody(limits) },
  responses: answers(usage, "Totals and budget"),
});
const authRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/auth",
  tags,
  summary: "Which credentials it has the use of",
  request: { params: sandboxParams },
  responses: answers(auth, "Kinds and leases, never values"),
});
const grantRoute = createRoute({
  method: "post",
  path: "/sandboxes/{name}/grant",
  tags,
  summary: "Gives it the use of this machine's credentials, and of the keys in the server's environment",
  request: { params: sandboxParams },
  responses: answers(done, "It has"),
});
const revokeRoute = createRoute({
  method: "delete",
  path: "/sandboxes/{name}/grant",
  tags,
  summary: "Takes it away: the next request fails",
  request: { params: sandboxParams },
  responses: answers(done, "It has none"),
});

const agentOf = z.object({ agent: z.string() });

export function sandboxUsageApi({ place }: Parts) {
  const { sandboxd } = place;
  const at = (name: string, rest: string) => `/sandboxes/${encodeURIComponent(name)}/${rest}`;
  return newApi()
    .openapi(usageRoute, async (c) => {
      const path = at(c.req.valid("param").name, "usage");
      return c.json(await sandboxd.ask({ method: "GET", path }, sandboxUsage), 200);
    })
    .openapi(budgetRoute, async (c) => {
      const path = at(c.req.valid("param").name, "budget");
      const body = c.req.valid("json");
      return c.json(await sandboxd.ask({ method: "POST", path, body }, sandboxUsage), 200);
    })
    .openapi(authRoute, async (c) => {
      const path = at(c.req.valid("param").name, "auth");
      return c.json(await sandboxd.ask({ method: "GET", path }, sandboxAuth), 200);
    })
    .openapi(grantRoute, async (c) => {
      const { name } = c.req.valid("param");
      const { agent } = agentOf.parse(await (await place.backend("sandbox")).inspect(name));
      await grantCredentials(sandboxd, { name, agent }, place.env);
      return c.json({ done: true as const }, 200);
    })
    .openapi(revokeRoute, async (c) => {
      await sandboxd.ask({ method: "DELETE", path: at(c.req.valid("param").name, "grant") }, z.unknown());
      return c.json({ done: true as const }, 200);
    });
}
