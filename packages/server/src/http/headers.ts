import { createMiddleware } from "hono/factory";

/** For what is data: a browser that shows it runs nothing of it, and nobody may put it into a page of theirs. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Whatever text agents or users wrote, it is never taken for a page. Pages of ours say themselves what they may. */
export const safeHeaders = createMiddleware(async (c, next) => {
  await next();
  const { headers } = c.res;
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", dataPolicy);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
  headers.set("cross-origin-resource-policy", "same-origin");
  headers.set("x-frame-options", "DENY");
});
