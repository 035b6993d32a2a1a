import { createMiddleware } from "hono/factory";
import type { ApiEnv } from "../api/api.ts";
import { environment } from "../api/shapes.ts";
import { ServerError } from "../errors.ts";
import type { Parts } from "../parts.ts";

/**
 * In front of what pages look at again and again. To ask a sandbox that is stopped starts it, so that one which somebody
 * stopped would be back a moment later for as long as anybody has its page open.
 */
export function onlyRunning({ place }: Pick<Parts, "place">) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const where = environment.safeParse(c.req.query("environment") ?? "sandbox");
    const name = c.req.param("name");
    if (c.req.method !== "GET" || !where.success) return next();
    const all = await (await place.backend(where.data)).list();
    const found = all.find((sandbox) => sandbox.own && sandbox.name === name);
    if (found?.status !== "stopped") return next();
    throw new ServerError("not_allowed_now", `sandbox ${found.name} is stopped`, {
      remedy: `start it: POST /sandboxes/${found.name}/start`,
    });
  });
}
