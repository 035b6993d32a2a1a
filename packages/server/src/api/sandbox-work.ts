import { createRoute, z } from "@hono/zod-openapi";
import { collect, exitCode } from "@opentiger/sandbox";
import { sandboxStats } from "@opentiger/schema";
import { ServerError } from "../errors.ts";
import type { Parts } from "../parts.ts";
import { answers, failures, jsonBody, newApi } from "./api.ts";
import { sandboxParams, whereQuery } from "./sandboxes.ts";
import { lookInto, withinSandbox } from "./within-sandbox.ts";

const tags = ["sandboxes"];

/** Of each stream; what is longer belongs into a file, or onto a terminal. */
const maxOutputBytes = 1024 * 1024;

const usualTimeoutMs = 60_000;

export const command = z
  .strictObject({
    command: z.array(z.string().max(100_000)).min(1).max(1_000),
    env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()).optional(),
    cwd: z.string().max(4_096).optional(),
    timeoutMs: z.number().int().min(1).max(3_600_000).default(usualTimeoutMs),
  })
  .openapi("Command");

const outcome = z
  .object({ exitCode: z.number().int(), stdout: z.string(), stderr: z.string() })
  .openapi("CommandOutcome");

const execRoute = createRoute({
  method: "post",
  path: "/sandboxes/{name}/exec",
  tags,
  summary: "Runs a command to its end. Of a long output the end is answered.",
  request: { params: sandboxParams, query: whereQuery, body: jsonBody(command) },
  responses: answers(outcome, "What came of it; 124 when its time was up"),
});
const statsRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/stats",
  tags,
  summary: "Memory, processors and processes",
  request: { params: sandboxParams, query: whereQuery },
  responses: answers(sandboxStats.extend({}).openapi("SandboxStats"), "What it uses now"),
});
const terminalRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/terminal",
  tags,
  summary:
    "A terminal in it, over a WebSocket: binary messages are keys and screen, text messages sizes and the end",
  request: {
    params: sandboxParams,
    query: whereQuery.extend({
      command: z.string().max(1_000).optional().openapi({ description: "a shell by default" }),
      columns: z.coerce.number().int().min(1).max(1_000).optional(),
      rows: z.coerce.number().int().min(1).max(1_000).optional(),
      id: z.uuid().optional().openapi({ description: "the shell to come back to" }),
      from: z.coerce
        .number()
        .int()
        .min(0)
        .optional()
        .openapi({ description: "how much of its output is there" }),
    }),
  },
  responses: { 101: { description: "The connection is a WebSocket from now on" }, ...failures },
});

export function sandboxWorkApi({ place }: Parts) {
  return newApi()
    .openapi(execRoute, async (c) => {
      const { command: words, env, cwd, timeoutMs } = c.req.valid("json");
      const where = { env: env ?? {}, timeoutMs, ...(cwd === undefined ? {} : { cwd }) };
      return c.json(
        await withinSandbox(
          place,
          c.req.valid("param").name,
          c.req.valid("query").environment,
          async (sandbox) => {
            const execution = await sandbox.exec(words, where);
            const leave = () => void execution.kill().catch(() => {});
            c.req.raw.signal.addEventListener("abort", leave, { once: true });
            const { exit, stdout, stderr } = await collect(execution, maxOutputBytes);
            return {
              exitCode: exitCode(exit),
              stdout: stdout.toString("utf8"),
              stderr: stderr.toString("utf8"),
            };
          },
        ),
        200,
      );
    })
    .openapi(statsRoute, async (c) => {
      const { environment } = c.req.valid("query");
      const { name } = c.req.valid("param");
      return c.json(await lookInto(place, name, environment, (sandbox) => sandbox.stats()), 200);
    })
    .openapi(terminalRoute, () => {
      throw new ServerError("usage", "a terminal is a WebSocket, and this was a plain request", {
        remedy: "connect with a WebSocket client to the same address",
      });
    });
}
