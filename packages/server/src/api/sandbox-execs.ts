import { isUtf8 } from "node:buffer";
import { createRoute, z } from "@hono/zod-openapi";
import type { Execution, OutputChunk, Sandbox } from "@opentiger/sandbox";
import { type ExecInfo, execInfo, execSpec } from "@opentiger/schema";
import { ServerError } from "../errors.ts";
import { eventStreamHeaders, writeEvent } from "../live/streams.ts";
import type { Parts } from "../parts.ts";
import { isSizing } from "../terminal/held-program.ts";
import { answers, creates, failures, jsonBody, newApi } from "./api.ts";
import { idempotencyHeader, once } from "./idempotency.ts";
import { namedPage, namedPageOf, namedPageQuery, numberInQuery } from "./paging.ts";
import { command } from "./sandbox-work.ts";
import { sandboxParams, whereQuery } from "./sandboxes.ts";
import { lookInto, type Where, withinSandbox } from "./within-sandbox.ts";

const tags = ["sandboxes"];
const execId = execSpec.shape.id;
const params = sandboxParams.extend({ id: execId });
const exec = execInfo.extend({}).openapi("Exec");
const newExec = command
  .omit({ timeoutMs: true })
  .extend({
    id: execId.optional().openapi({ description: "chosen by you, so that it is known whatever happens" }),
    timeoutMs: z.number().int().min(1).optional(),
  })
  .openapi("NewExec");
const offset = numberInQuery(0, Number.MAX_SAFE_INTEGER).optional();

const listRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/execs",
  tags,
  summary: "The commands that were started in it, by their ids",
  request: {
    params: sandboxParams,
    query: whereQuery.extend({ ...namedPageQuery.shape, state: z.enum(["running", "ended"]).optional() }),
  },
  responses: answers(namedPageOf(exec).openapi("Execs"), "A page of those that are remembered"),
});
const startRoute = createRoute({
  method: "post",
  path: "/sandboxes/{name}/execs",
  tags,
  summary:
    "Starts a command that goes on whoever looks. What it writes waits for a reader, and so does it at last.",
  request: { params: sandboxParams, query: whereQuery, headers: idempotencyHeader, body: jsonBody(newExec) },
  responses: creates(exec, "The command"),
});
const showRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/execs/{id}",
  tags,
  summary: "One command: whether it goes on, and how it ended",
  request: { params, query: whereQuery },
  responses: answers(exec, "The command"),
});
const outputRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/execs/{id}/output",
  tags,
  summary: "What it writes, as it writes it, until it has ended; behind what earlier readers had",
  request: {
    params,
    query: whereQuery.extend({
      stdout: offset.openapi({ description: "how many bytes of it you have" }),
      stderr: offset.openapi({ description: "the same" }),
    }),
  },
  responses: {
    200: {
      description: "Server-sent events: stdout, stderr, exit",
      content: { "text/event-stream": { schema: z.string() } },
    },
    ...failures,
  },
});
const killRoute = createRoute({
  method: "delete",
  path: "/sandboxes/{name}/execs/{id}",
  tags,
  summary: "Ends a command, and whatever it started",
  request: {
    params,
    query: whereQuery.extend({
      signal: z.enum(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"]).default("SIGKILL"),
    }),
  },
  responses: answers(exec, "The command, which was told to end"),
});

/** Commands of a sandbox by their ids: they outlive whoever started them. */
export function sandboxExecsApi(parts: Parts) {
  const { place, streams } = parts;
  return newApi()
    .openapi(listRoute, async (c) => {
      const { environment, state, ...page } = c.req.valid("query");
      const all = await lookInto(place, c.req.valid("param").name, environment, (sandbox) => sandbox.execs());
      const wanted = all.filter(
        ({ id, exit }) => !isSizing(id) && (state === undefined || (exit === null) === (state === "running")),
      );
      return c.json(
        namedPage(wanted, ({ id }) => id, page),
        200,
      );
    })
    .openapi(startRoute, async (c) => {
      const { name } = c.req.valid("param");
      const { environment } = c.req.valid("query");
      const asked = c.req.valid("json");
      let made: ExecInfo | undefined;
      // Its id alone is kept: a command line may hold anybody's secrets.
      const { id } = await once(parts, c, { environment, asked }, async () => {
        made = await start(name, environment, asked);
        return { id: made.id };
      });
      made ??= await withinSandbox(place, name, environment, (sandbox) => execOf(sandbox, id));
      return c.json(made, 201);
    })
    .openapi(showRoute, async (c) => {
      const { name, id } = c.req.valid("param");
      const { environment } = c.req.valid("query");
      return c.json(await lookInto(place, name, environment, (sandbox) => execOf(sandbox, id)), 200);
    })
    .openapi(outputRoute, async (c) => {
      const { name, id } = c.req.valid("param");
      const { environment, stdout, stderr } = c.req.valid("query");
      const sandbox = await (await place.backend(environment)).open(name);
      try {
        await execOf(sandbox, id);
        const from = {
          ...(stdout === undefined ? {} : { stdout }),
          ...(stderr === undefined ? {} : { stderr }),
        };
        const execution = await sandbox.attach(id, from);
        const chunks = (signal: AbortSignal) => follow(sandbox, execution, signal);
        return streams.answer(chunks, c.env.outgoing, eventStreamHeaders);
      } catch (error) {
        await sandbox.close();
        throw error;
      }
    })
    .openapi(killRoute, async (c) => {
      const { name, id } = c.req.valid("param");
      const { environment, signal } = c.req.valid("query");
      const ended = await withinSandbox(place, name, environment, async (sandbox) => {
        const known = await execOf(sandbox, id);
        if (known.exit !== null) return known;
        await sandbox.kill(id, signal);
        return execOf(sandbox, id);
      });
      return c.json(ended, 200);
    });

  function start(name: string, where: Where, { command: words, ...rest }: z.output<typeof newExec>) {
    return withinSandbox(place, name, where, async (sandbox) => {
      const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
      const execution = await sandbox.exec(words, given);
      execution.detach();
      return execOf(sandbox, execution.id);
    });
  }
}

async function execOf(sandbox: Sandbox, id: string) {
  const found = (await sandbox.execs()).find((each) => each.id === id);
  if (found) return found;
  throw new ServerError("exec_not_found", `there is no exec ${id} in ${sandbox.name}`, {
    remedy: `GET /sandboxes/${sandbox.name}/execs lists them`,
  });
}

/** The session ends with the signal: whoever leaves in the middle never asks for the next piece. */
async function* follow(sandbox: Sandbox, execution: Execution, signal: AbortSignal): AsyncGenerator<string> {
  const leave = () => {
    execution.detach();
    sandbox.close().catch(() => {});
  };
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  for await (const chunk of execution.output())
    yield writeEvent({ event: chunk.stream, data: written(chunk) });
  const exit = await execution.exit.catch(() => null);
  // Nobody knows how it ended where the session was lost; whoever asks again is told.
  if (exit !== null) yield writeEvent({ event: "exit", data: exit });
}

/** `text` where the bytes are text by themselves, else `base64`: nothing is lost either way. */
function written({ offset: at, data }: OutputChunk) {
  const content = isUtf8(data) ? { text: data.toString("utf8") } : { base64: data.toString("base64") };
  return { offset: at, bytes: data.length, ...content };
}
