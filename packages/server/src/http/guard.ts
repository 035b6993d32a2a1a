import { isSecretValue } from "@opentiger/schema";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes, routePath } from "hono/route";
import { beginAudit, endAudit } from "../access/audit.ts";
import { whoName } from "../access/who.ts";
import type { ApiEnv } from "../api/api.ts";
import { errorAnswer, statusOf } from "../api/error-answer.ts";
import type { Parts } from "../parts.ts";
import { isPage } from "./pages.ts";
import { RefusedBound } from "./refused-bound.ts";

const harmless = new Set(["GET", "HEAD", "OPTIONS"]);

/** What anybody may ask who came by a way that is allowed: it says nothing, or wants a credential of its own. */
const open = new Set(["GET /health", "HEAD /health", "GET /openapi.json", "POST /auth/session"]);

/**
 * In front of every route: the way, who asks, and for what changes anything the audit, which is written before it is done.
 * What was refused is in the audit too, as far as that cannot be used to fill the disk.
 */
export function guard({ access, place, metrics }: Parts) {
  const refused = new RefusedBound();
  return createMiddleware<ApiEnv>(async (c, next) => {
    const { incoming } = c.env;
    const { method, path } = c.req;
    // Somebody may have put a secret where its name belongs.
    const target = isSecretValue(path) ? "(a secret)" : path;
    const about = { address: incoming.socket.remoteAddress ?? "", target };
    const page = isPage(method, path, incoming.headers);
    try {
      await access.checkWay(incoming, page ? "page" : "data");
      if (!page && !open.has(`${method} ${path}`)) c.set("who", await access.identify(incoming));
    } catch (error) {
      const status = statusOf(errorAnswer(error));
      metrics.count("opentiger_http_refused_total", "Requests that were not let in.", {
        status: `${status}`,
      });
      if (!harmless.has(method) && refused.allows(performance.now())) {
        const action = `${method} (refused)`;
        const id = await beginAudit(place.database, { ...about, who: "nobody", action });
        await endAudit(place.database, id, status);
      }
      throw error;
    }
    if (harmless.has(method)) return next();
    const who = c.get("who");
    const action = `${method} ${routeOf(c)}`;
    const id = await beginAudit(place.database, {
      ...about,
      who: who === undefined ? "nobody" : whoName(who),
      action,
    });
    await next();
    // What was done is done; that its end is not written down changes nothing for whoever asked.
    await endAudit(place.database, id, c.res.status).catch((error: unknown) =>
      place.log(`audit ${id} has no end: ${String(error)}`),
    );
  });
}

/** What was done, without to what: the route as the API's description has it. What is for all routes is none. */
function routeOf(c: Context<ApiEnv>): string {
  const route = matchedRoutes(c).find(({ method }) => method !== "ALL");
  return route?.path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, "{$1}") ?? "(no such route)";
}

/** Counts what was answered, by route. */
export function counted({ metrics }: Pick<Parts, "metrics">) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    await next();
    const labels = { method: c.req.method, route: routePath(c, -1), status: `${c.res.status}` };
    metrics.count("opentiger_http_requests_total", "Requests that were answered.", labels);
  });
}
