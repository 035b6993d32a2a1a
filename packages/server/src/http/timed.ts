import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { ApiEnv } from "../api/api.ts";
import type { Parts } from "../parts.ts";

/** Measures how long an answer takes, by route; of a stream, until it begins. */
export function timed({ metrics }: Pick<Parts, "metrics">) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const begun = performance.now();
    await next();
    const labels = { method: c.req.method, route: routePath(c, -1) };
    const seconds = (performance.now() - begun) / 1_000;
    metrics.took("opentiger_http_request_seconds", "How long requests took.", labels, seconds);
  });
}
