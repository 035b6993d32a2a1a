import { createRoute, z } from "@hono/zod-openapi";
import { firstRow } from "@opentiger/orchestrator";
import { opentigerVersion } from "@opentiger/schema";
import type { Parts } from "../parts.ts";
import { answers, newApi } from "./api.ts";

const health = z.object({ status: z.literal("ok"), version: z.string() }).openapi("Health");

const readiness = z
  .object({
    ready: z.boolean(),
    version: z.string(),
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), message: z.string().nullable() })),
  })
  .openapi("Readiness");

const healthRoute = createRoute({
  method: "get",
  path: "/health",
  tags: ["health"],
  summary: "Whether the server runs. Anybody may ask.",
  responses: answers(health, "It does"),
});

const readyRoute = createRoute({
  method: "get",
  path: "/health/ready",
  tags: ["health"],
  summary: "Whether it can work: the database answers, and sandboxd can be asked.",
  responses: {
    ...answers(readiness, "It can"),
    503: { description: "It cannot", content: { "application/json": { schema: readiness } } },
  },
});

export function healthApi({ place }: Parts) {
  return newApi()
    .openapi(healthRoute, (c) => c.json({ status: "ok" as const, version: opentigerVersion }, 200))
    .openapi(readyRoute, async (c) => {
      const database = await check("database", () =>
        firstRow(place.database, z.unknown(), "select 1 as one"),
      );
      const sandboxd = await check("sandboxd", () => place.sandboxd.status());
      const checks = [database, sandboxd];
      const version = opentigerVersion;
      if (checks.every(({ ok }) => ok)) return c.json({ ready: true, version, checks }, 200);
      return c.json({ ready: false, version, checks }, 503);
    });
}

async function check(name: string, ask: () => Promise<unknown>) {
  try {
    await ask();
    return { name, ok: true, message: null };
  } catch (error) {
    return { name, ok: false, message: error instanceof Error ? error.message : "it does not answer" };
  }
}
