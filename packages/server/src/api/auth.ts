import { createRoute, z } from "@hono/zod-openapi";
import { listAudit } from "../access/audit.ts";
import { sessionCookie, setCookie } from "../access/cookie.ts";
import { newLoginLink } from "../access/login-link.ts";
import { isFromHere } from "../access/request-origin.ts";
import {
  goodToken,
  issueToken,
  keyName,
  listTokens,
  revokeToken,
  type TokenRow,
  takeLink,
} from "../access/tokens.ts";
import { whoName } from "../access/who.ts";
import { ServerError } from "../errors.ts";
import type { Parts } from "../parts.ts";
import { answers, creates, done, jsonBody, newApi } from "./api.ts";
import { idempotencyHeader, once } from "./idempotency.ts";
import { namedPage, namedPageOf, namedPageQuery, numberInQuery, pageOf, pageQuery } from "./paging.ts";
import { time } from "./shapes.ts";

const tags = ["access"];

/** A browser logs in again after that. */
const sessionMs = 30 * 86_400_000;

const dayMs = 86_400_000;

const me = z.object({ kind: z.enum(["key", "session", "local"]), name: z.string() }).openapi("Me");

const key = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: time,
    createdBy: z.string(),
    expiresAt: time.nullable(),
    usedAt: time.nullable(),
  })
  .openapi("Key");

const newKey = z
  .strictObject({ name: keyName, days: z.number().int().min(1).max(3_650).optional() })
  .openapi("NewKey", { example: { name: "ci" } });
const madeKey = key.extend({ key: z.string() }).openapi("MadeKey");
const link = z.object({ url: z.string(), expiresAt: time.nullable() }).openapi("LoginLink");
const login = z.strictObject({ token: z.string().max(200) }).openapi("Login");
const idParams = z.object({ id: z.string().regex(/^[a-z0-9]{12}$/) });

const audit = z
  .object({
    id: z.number().int(),
    at: time,
    who: z.string(),
    address: z.string(),
    action: z.string(),
    target: z.string(),
    status: z.number().int().nullable(),
  })
  .openapi("AuditRow");

const meRoute = createRoute({
  method: "get",
  path: "/auth/me",
  tags,
  summary: "Who asks, as the server sees it",
  responses: answers(me, "Who it is"),
});
const keysRoute = createRoute({
  method: "get",
  path: "/auth/keys",
  tags,
  summary: "The keys that are good now, by name",
  request: { query: namedPageQuery },
  responses: answers(namedPageOf(key).openapi("Keys"), "A page of them"),
});
const addRoute = createRoute({
  method: "post",
  path: "/auth/keys",
  tags,
  summary: "Makes a key. It is shown this once.",
  request: { headers: idempotencyHeader, body: jsonBody(newKey) },
  responses: creates(madeKey, "The key"),
});
const revokeRoute = createRoute({
  method: "delete",
  path: "/auth/keys/{id}",
  tags,
  summary: "Revokes a key: the next request with it is refused",
  request: { params: idParams },
  responses: answers(key, "The key that was"),
});
const linkRoute = createRoute({
  method: "post",
  path: "/auth/links",
  tags,
  summary: "Makes a link with which a browser logs in, once",
  responses: creates(link, "The link"),
});
const loginRoute = createRoute({
  method: "post",
  path: "/auth/session",
  tags,
  summary: "Logs a browser in with the token of a link",
  request: { body: jsonBody(login) },
  responses: answers(me, "Who it is from now on; the cookie says so"),
});
const logoutRoute = createRoute({
  method: "delete",
  path: "/auth/session",
  tags,
  summary: "Logs the browser out",
  responses: answers(done, "It is"),
});
const auditRoute = createRoute({
  method: "get",
  path: "/audit",
  tags,
  summary: "What was asked to be done, by whom, and what was answered; the newest first",
  request: {
    query: pageQuery.extend({
      who: z.string().max(200).optional().openapi({ description: "as a row has it", example: "key ci" }),
      action: z.string().max(200).optional().openapi({ example: "POST /loops" }),
      target: z.string().max(500).optional().openapi({ description: "what the path begins with" }),
      status: numberInQuery(100, 599).optional(),
      from: time.optional(),
      to: time.optional(),
    }),
  },
  responses: answers(pageOf(audit).openapi("Audit"), "A page of it"),
});

export function authApi(parts: Parts) {
  const { place, url } = parts;
  const { database } = place;
  return newApi()
    .openapi(meRoute, (c) => {
      const { who } = c.var;
      return c.json({ kind: who.kind, name: whoName(who) }, 200);
    })
    .openapi(keysRoute, async (c) => {
      const keys = (await listTokens(database, "key")).map(shown);
      return c.json(
        namedPage(keys, ({ name }) => name, c.req.valid("query")),
        200,
      );
    })
    .openapi(addRoute, async (c) => {
      const asked = c.req.valid("json");
      let token: string | undefined;
      const row = await once(parts, c, asked, async () => {
        const { name, days } = asked;
        const lasts = days === undefined ? {} : { lastsMs: days * dayMs };
        const made = await issueToken(database, { kind: "key", name, by: whoName(c.var.who), ...lasts });
        token = made.token;
        // What is remembered for the idempotency key is without it: it is kept nowhere.
        return shown(made.row);
      });
      if (token === undefined) throw shownBefore(row);
      return c.json({ ...row, key: token }, 201);
    })
    .openapi(revokeRoute, async (c) => {
      const { id } = c.req.valid("param");
      const revoked = await revokeToken(database, id, "key");
      if (revoked) return c.json(shown(revoked), 200);
      throw new ServerError("not_found", `there is no key ${id}`, { remedy: "GET /auth/keys lists them" });
    })
    .openapi(linkRoute, async (c) => {
      return c.json(await newLoginLink(database, url(), whoName(c.var.who)), 201);
    })
    .openapi(loginRoute, async (c) => {
      const { token: given } = c.req.valid("json");
      const found = await goodToken(database, given, "link");
      if (!found || !(await takeLink(database, found.id))) {
        throw new ServerError("unauthorized", "this link was used already, or its time is over", {
          remedy: "`opentiger status --login` makes a new one",
        });
      }
      const name = "browser";
      const session = await issueToken(database, {
        kind: "session",
        name,
        by: found.createdBy,
        lastsMs: sessionMs,
        hereOnly: isFromHere(c.env.incoming),
      });
      c.header("set-cookie", setCookie(c.env.incoming, session.token, sessionMs));
      return c.json({ kind: "session" as const, name }, 200);
    })
    .openapi(logoutRoute, async (c) => {
      const { who } = c.var;
      if (who.kind === "session") await revokeToken(database, who.id, "session");
      if (sessionCookie(c.env.incoming) !== undefined)
        c.header("set-cookie", setCookie(c.env.incoming, "", 0));
      return c.json({ done: true as const }, 200);
    })
    .openapi(auditRoute, async (c) => c.json(await listAudit(database, c.req.valid("query")), 200));
}

function shown({ id, name, createdAt, createdBy, expiresAt, usedAt }: TokenRow) {
  return { id, name, createdAt, createdBy, expiresAt, usedAt };
}

function shownBefore({ id, name }: Pick<TokenRow, "id" | "name">): ServerError {
  return new ServerError(
    "not_allowed_now",
    `the key ${name} was made before with this idempotency key, and shown`,
    {
      remedy: `if it was lost, revoke it with DELETE /auth/keys/${id}, and make another with a new idempotency key`,
    },
  );
}
