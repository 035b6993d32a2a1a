import { createRoute, z } from "@hono/zod-openapi";
import { configEntry } from "@opentiger/schema";
import { whoName } from "../access/who.ts";
import type { Parts } from "../parts.ts";
import { answers, jsonBody, newApi } from "./api.ts";

const entry = configEntry.extend({}).openapi("ConfigEntry");
const settings = z
  .object({ settings: z.array(entry), launchMode: z.enum(["process", "docker"]) })
  .openapi("Config");

/** What may stand at each key is checked by the table of keys, which says it better. */
const patch = z.record(z.string().max(100), z.unknown()).openapi("ConfigPatch", {
  example: { EXECUTION_ENVIRONMENT: "host" },
});

const listRoute = createRoute({
  method: "get",
  path: "/config",
  tags: ["config"],
  summary:
    "Every setting: its value, where that comes from, and what may stand there. No secret is among them.",
  responses: answers(settings, "All settings"),
});

const patchRoute = createRoute({
  method: "patch",
  path: "/config",
  tags: ["config"],
  summary: "Changes settings, all of them or none; null is the default again. What begins next has them.",
  request: { body: jsonBody(patch) },
  responses: answers(settings, "All settings, as they are then"),
});

export function configApi({ place }: Parts) {
  const all = () => ({ settings: place.config.entries(), launchMode: place.config.launchMode });
  return newApi()
    .openapi(listRoute, (c) => c.json(all(), 200))
    .openapi(patchRoute, async (c) => {
      await place.config.patch(c.req.valid("json"), whoName(c.var.who));
      return c.json(all(), 200);
    });
}
