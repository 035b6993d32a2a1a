import type { OpenAPIHono } from "@hono/zod-openapi";
import { opentigerVersion } from "@opentiger/schema";
import type { ApiEnv } from "./api.ts";

/** The document of the API, as it is served and as it is committed in docs/openapi.json. */
export function documentOf(app: Pick<OpenAPIHono<ApiEnv>, "getOpenAPI31Document" | "openAPIRegistry">) {
  const registry = app.openAPIRegistry;
  registry.registerComponent("securitySchemes", "key", { type: "apiKey", in: "header", name: "X-API-Key" });
  registry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "openTiger",
      version: opentigerVersion,
      description: "Loops, tasks, runs, sandboxes and the system itself. docs/api.md says who may ask.",
      license: { name: "MIT" },
    },
    servers: [{ url: "http://localhost:4301" }],
    // The empty one: from the machine itself, by a process of the owner's, no key is needed.
    security: [{ key: [] }, { bearer: [] }, {}],
  });
}
