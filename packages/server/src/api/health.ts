import { createRoute, z } from "@hono/zod-openapi";
import { firstRow } from "@opentiger/orchestrator";
import { opentigerVersion } from "@opentiger/schema";
import type { Parts } from "../parts.ts";
import { sandboxdName } from "../processes/launcher.ts";
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
  summary:
    "Whether it can work: the database answers, and so does sandboxd, where this server looks after it. Elsewhere whoever needs sandboxd starts it.",
  responses: {
    ...answers(readiness, "It can"),
    503: { description: "It cannot", content: { "application/json": { schema: readiness } } },
  },
});

/** Who asks wants to know now. A database that was killed is started again by then. */
const answerMs = 3_000;

export function healthApi({ place, processes }: Parts) {
  return newApi()
    .openapi(healthRoute, (c) => c.json({ status: "ok" as const, version: opentigerVersion }, 200))
    .openapi(readyRoute, async (c) => {
      const checks = await Promise.all([
        check("database", () => firstRow(place.database, z.unknown(), "select 1 as one")),
        check("sandboxd", async () => {
          if ((await place.sandboxd.status()) || !processes.wants(sandboxdName)) return;
          throw new Error("it does not run, and is being started: sandboxes have no network until then");
        }),
      ]);
      const version = opentigerVersion;
      if (checks.every(({ ok }) => ok)) return c.json({ ready: true, version, checks }, 200);
      return c.json({ ready: false, version, checks }, 503);
    });
}

async function check(name: string, ask: () => Promise<unknown>) {
  const late = AbortSignal.timeout(answerMs);
  try {
    await Promise.race([ask(), aborted(late)]);
    return { name, ok: true, message: null };
  } catch (error) {
    const message = error instanceof Error && !late.aborted ? error.message : "it does not answer";
    return { name, ok: false, message };
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("too late")));
  });
}
