import { createRoute, z } from "@hono/zod-openapi";
import { isSecretValue } from "@opentiger/schema";
import { secretLimits } from "@opentiger/secrets";
import { ServerError } from "../errors.ts";
import type { Parts } from "../parts.ts";
import { answers, done, jsonBody, newApi } from "./api.ts";
import { namedPage, namedPageOf, namedPageQuery } from "./paging.ts";
import { time } from "./shapes.ts";

const tags = ["secrets"];

const secretState = z.enum(["ok", "expiring", "expired"]);

/** Names, kinds and ages. No route gives a value out. */
const secret = z
  .object({
    name: z.string(),
    kind: z.string(),
    /** In bytes. */
    size: z.number().int(),
    createdAt: time,
    updatedAt: time,
    ageSeconds: z.number().int(),
    expiresAt: time.nullable(),
    state: secretState,
  })
  .openapi("Secret");

const lease = z
  .object({
    id: z.string(),
    name: z.string(),
    holder: z.object({ who: z.string(), sandbox: z.string().nullable(), run: z.string().nullable() }),
    createdAt: time,
    expiresAt: time,
  })
  .openapi("SecretLease");

const warning = z.object({ secret: z.string(), message: z.string(), remedy: z.array(z.string()) });

const params = z.object({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_.-]{0,63}$/, "lowercase letters, digits and _ . -")
    // Names are shown; a value that was pasted in place of one must not be.
    .refine((name) => !isSecretValue(name), "looks like a secret itself"),
});
const value = z
  .strictObject({
    value: z.string().min(1).max(secretLimits.bytes),
    expiresAt: z.iso.datetime().optional(),
  })
  .openapi("SecretValue");

const listRoute = createRoute({
  method: "get",
  path: "/secrets",
  tags,
  summary: "What is in the vault, by name: names and ages, never values",
  request: { query: namedPageQuery.extend({ state: secretState.optional() }) },
  responses: answers(
    namedPageOf(secret)
      .extend({ warnings: z.array(warning) })
      .openapi("Secrets"),
    "A page of them, and what of all is about to expire",
  ),
});
const putRoute = createRoute({
  method: "put",
  path: "/secrets/{name}",
  tags,
  summary: "Puts a value into the vault, a new one or another one",
  request: { params, body: jsonBody(value) },
  responses: answers(secret, "The secret, without its value"),
});
const deleteRoute = createRoute({
  method: "delete",
  path: "/secrets/{name}",
  tags,
  summary: "Removes it, and ends its leases",
  request: { params },
  responses: answers(done, "It is gone"),
});
const leasesRoute = createRoute({
  method: "get",
  path: "/secrets/leases",
  tags,
  summary: "Who may use which secret at the moment",
  request: {
    query: namedPageQuery.extend({
      name: z.string().max(100).optional().openapi({ description: "those of this secret" }),
      sandbox: z.string().max(200).optional().openapi({ description: "those that it holds" }),
    }),
  },
  responses: answers(namedPageOf(lease).openapi("SecretLeases"), "A page of those that are good now"),
});
const revokeRoute = createRoute({
  method: "delete",
  path: "/secrets/leases/{id}",
  tags,
  summary: "Ends a lease: the next request with it fails",
  request: { params: z.object({ id: z.string().regex(/^[0-9a-f]{20}$/) }) },
  responses: answers(done, "It has ended"),
});

export function secretsApi({ vault }: Parts) {
  return newApi()
    .openapi(leasesRoute, async (c) => {
      const { name, sandbox, ...page } = c.req.valid("query");
      const wanted = (await vault.leases()).filter(
        (each) =>
          (name ?? each.name) === each.name && (sandbox ?? each.holder.sandbox) === each.holder.sandbox,
      );
      return c.json(
        namedPage(wanted, ({ id }) => id, page),
        200,
      );
    })
    .openapi(revokeRoute, async (c) => {
      const { id } = c.req.valid("param");
      if (await vault.revoke(id)) return c.json({ done: true as const }, 200);
      throw new ServerError("lease_not_found", `there is no lease ${id}`, {
        remedy: "GET /secrets/leases lists them",
      });
    })
    .openapi(listRoute, async (c) => {
      const [secrets, { warnings }] = await Promise.all([vault.list(), vault.status()]);
      const { state, ...page } = c.req.valid("query");
      const wanted = secrets.filter((each) => (state ?? each.state) === each.state);
      return c.json({ ...namedPage(wanted, ({ name }) => name, page), warnings }, 200);
    })
    .openapi(putRoute, async (c) => {
      const { name } = c.req.valid("param");
      const { value: text, expiresAt } = c.req.valid("json");
      const options = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) };
      const known = (await vault.list()).some((each) => each.name === name);
      const put = known ? vault.update : vault.add;
      return c.json(await put.call(vault, name, Buffer.from(text), options), 200);
    })
    .openapi(deleteRoute, async (c) => {
      await vault.delete(c.req.valid("param").name);
      return c.json({ done: true as const }, 200);
    });
}
