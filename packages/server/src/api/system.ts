import { createRoute, z } from "@hono/zod-openapi";
import { checkLogin } from "@opentiger/agents";
import { noteLogin, type ProcessSkip, processSkipped } from "@opentiger/orchestrator";
import { loginAgents, loginStatus, opentigerVersion } from "@opentiger/schema";
import type { Parts } from "../parts.ts";
import { tailOf } from "../processes/log-tail.ts";
import { answers, newApi } from "./api.ts";
import { loginEnvironment } from "./login-environment.ts";
import { environment, time } from "./shapes.ts";

const tags = ["system"];

const process_ = z
  .object({
    name: z.string(),
    state: z.enum(["running", "starting", "waiting", "failed", "stopped"]),
    pid: z.number().int().nullable(),
    startedAt: time.nullable(),
    version: z.string().nullable(),
    working: z.number().int(),
    restarts: z.number().int(),
    nextTryAt: time.nullable(),
    /** A4: it is not started in the environment that is in force, and why. */
    skipped: z.boolean(),
    reason: z.string().nullable(),
  })
  .openapi("Process");

const processes = z
  .object({ items: z.array(process_), launchMode: z.enum(["process", "docker"]) })
  .openapi("Processes");
const params = z.object({
  name: z.string().regex(/^[a-z]{1,20}(?:-[1-9]\d{0,2})?$/, "as dispatcher or worker-1"),
});

const systemRoute = createRoute({
  method: "get",
  path: "/system",
  tags,
  summary: "What runs here",
  responses: answers(
    z
      .object({
        version: z.string(),
        node: z.string(),
        pid: z.number().int(),
        server: z.string(),
        url: z.string(),
        database: z.object({ kind: z.enum(["embedded", "url"]), where: z.string() }),
        executionEnvironment: environment,
        streams: z.number().int(),
      })
      .openapi("System"),
    "The server, and what it works with",
  ),
});

const listRoute = createRoute({
  method: "get",
  path: "/system/processes",
  tags,
  summary: "The processes that work on loops, and sandboxd",
  responses: answers(processes, "All of them"),
});
const startRoute = createRoute({
  method: "post",
  path: "/system/processes/{name}/start",
  tags,
  summary:
    "Starts one and keeps it running. In a sandbox those of the host are not started, and the answer says why.",
  request: { params },
  responses: answers(process_, "The process, or that it was skipped"),
});
const stopRoute = createRoute({
  method: "post",
  path: "/system/processes/{name}/stop",
  tags,
  summary: "Stops one. Agents that it followed go on, and the next one adopts them.",
  request: { params },
  responses: answers(process_, "The process that was"),
});
const stopAllRoute = createRoute({
  method: "post",
  path: "/system/processes/stop-all",
  tags,
  summary: "Stops all that work on loops. sandboxd stays: agents go on, and need it.",
  responses: answers(processes, "All of them"),
});
const logRoute = createRoute({
  method: "get",
  path: "/system/processes/{name}/log",
  tags,
  summary: "The end of what it wrote",
  request: { params },
  responses: answers(z.object({ file: z.string(), text: z.string() }).openapi("ProcessLog"), "At most 64 kB"),
});

const authRoute = createRoute({
  method: "get",
  path: "/system/{agent}/auth",
  tags,
  summary: "Whether an agent could be used, and whether its model would answer it; by proof, without tokens",
  request: {
    params: z.object({ agent: z.enum(loginAgents) }),
    query: z.strictObject({
      environment: environment.optional().openapi({ description: "EXECUTION_ENVIRONMENT by default" }),
      deep: z.enum(["true", "false"]).optional().openapi({
        description: "asks the model once through the CLI, which costs a few tokens",
      }),
    }),
  },
  responses: answers(loginStatus.extend({}).openapi("LoginStatus"), "What is known"),
});

/** The hosts' processes that are shown whether anybody started them or not. */
const hostProcesses = ["worker-1", "tester-1", "docser-1"];

export function systemApi(parts: Parts) {
  const { place, processes: all, streams, boot, url } = parts;
  const { config, database } = place;
  return newApi()
    .openapi(systemRoute, (c) =>
      c.json(
        {
          version: opentigerVersion,
          node: process.version,
          pid: process.pid,
          server: boot,
          url: url(),
          database: { kind: database.route.kind, where: database.route.where },
          executionEnvironment: config.get("EXECUTION_ENVIRONMENT"),
          streams: streams.open,
        },
        200,
      ),
    )
    .openapi(listRoute, async (c) => {
      for (const name of hostProcesses) await all.find(name);
      return c.json(shownAll(), 200);
    })
    .openapi(stopAllRoute, async (c) => {
      await all.stopAll();
      return c.json(shownAll(), 200);
    })
    .openapi(startRoute, async (c) => {
      const { name } = c.req.valid("param");
      const found = await all.find(name);
      const skip = processSkipped(config, name);
      return c.json(skip.skipped ? shown(found, skip) : shown(await all.start(name), skip), 200);
    })
    .openapi(stopRoute, async (c) => {
      const { name } = c.req.valid("param");
      return c.json(shown(await all.stop(name), processSkipped(config, name)), 200);
    })
    .openapi(logRoute, async (c) => {
      const file = all.logFile(c.req.valid("param").name);
      return c.json({ file, text: await tailOf(file) }, 200);
    })
    .openapi(authRoute, async (c) => {
      const { agent } = c.req.valid("param");
      const { environment: asked, deep } = c.req.valid("query");
      const where = asked ?? config.get("EXECUTION_ENVIRONMENT");
      const options = { env: loginEnvironment(place), signal: c.req.raw.signal, deep: deep === "true" };
      const status = await checkLogin(agent, where, options);
      // What was found is the answer, whether it can be kept or not.
      await noteLogin(database, status).catch(() => {});
      return c.json(status, 200);
    });

  function shownAll() {
    return {
      items: all.list().map((each) => shown(each, processSkipped(config, each.name))),
      launchMode: config.launchMode,
    };
  }
}

function shown(status: ReturnType<Parts["processes"]["list"]>[number], skip: ProcessSkip) {
  return { ...status, skipped: skip.skipped, reason: skip.skipped ? skip.reason : null };
}
