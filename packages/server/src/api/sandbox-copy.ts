import { PassThrough } from "node:stream";
import { createRoute, z } from "@hono/zod-openapi";
import { copyIn, copyOut, fetchCommits, type Sandbox } from "@opentiger/sandbox";
import { sandboxRecord } from "@opentiger/schema";
import { ServerError } from "../errors.ts";
import type { Parts } from "../parts.ts";
import { answers, done, failures, newApi, textAnswer } from "./api.ts";
import { sandboxParams, whereQuery } from "./sandboxes.ts";
import { withinSandbox } from "./within-sandbox.ts";

const tags = ["sandboxes"];

/** What an archive is sent as. It is passed on as it comes, and never held. */
export const archiveType = "application/x-tar";
const archive = { [archiveType]: { schema: z.string().openapi({ format: "binary" }) } };

const path = z
  .string()
  .min(1)
  .max(4_096)
  .refine((given) => !given.includes("\0"), "has a character that no path has")
  .openapi({ description: "inside; a relative one starts at the workspace" });

const fetched = z.object({
  refs: z.array(z.object({ name: z.string(), oid: z.string() })),
  commits: z.number().int().openapi({ description: "how many are new" }),
});
const fetchShape = fetched
  .extend({
    repository: z.string().openapi({ description: "of the server's machine, in which they are now" }),
    submodules: z.array(fetched.extend({ path: z.string() })),
  })
  .openapi("FetchedCommits");

const fetchRoute = createRoute({
  method: "post",
  path: "/sandboxes/{name}/fetch",
  tags,
  summary: "Brings a clone's commits into refs/sandboxes/NAME/* of its repository; nothing is checked out",
  request: { params: sandboxParams, query: whereQuery },
  responses: answers(fetchShape, "The branches, and what is new"),
});
const readRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/files",
  tags,
  summary: "A file or a folder of it, as a tar archive",
  request: {
    params: sandboxParams,
    query: whereQuery.extend({
      path: path.openapi({ description: "`DIR/.` is what is in the folder" }),
      outsideLinks: z.enum(["refuse", "skip"]).default("refuse").openapi({
        description: "what is done about links that lead elsewhere",
      }),
    }),
  },
  responses: { 200: { description: "The archive", content: archive }, ...failures },
});
const writeRoute = createRoute({
  method: "put",
  path: "/sandboxes/{name}/files",
  tags,
  summary: "Unpacks a tar archive in a folder of it, as the agent's user",
  request: {
    params: sandboxParams,
    query: whereQuery.extend({ path: path.openapi({ description: "a folder that is there" }) }),
    body: { required: true, content: archive },
  },
  responses: answers(done, "It is there"),
});

/** Files and commits, in and out. */
export function sandboxCopyApi({ place, streams }: Parts) {
  return newApi()
    .openapi(fetchRoute, async (c) => {
      const { name } = c.req.valid("param");
      const where = c.req.valid("query").environment;
      const { path: repository, commit: base } = repositoryOf(
        name,
        await (await place.backend(where)).inspect(name),
      );
      const { signal } = c.req.raw;
      const found = await withinSandbox(place, name, where, (sandbox) =>
        fetchCommits(sandbox, { repository, name, path: workspaceOf(sandbox), base, signal }),
      );
      return c.json({ repository, ...found }, 200);
    })
    .openapi(readRoute, async (c) => {
      const { environment: where, path: from, outsideLinks } = c.req.valid("query");
      const sandbox = await (await place.backend(where)).open(c.req.valid("param").name);
      const gone = new AbortController();
      const bytes = archiveOf(sandbox, { from, outsideLinks, signal: gone.signal });
      try {
        // The first piece, before anything is answered: what is not there is said with its status.
        const first = await bytes.next();
        const chunks = (signal: AbortSignal) => {
          signal.addEventListener("abort", () => gone.abort(), { once: true });
          return all(first, bytes);
        };
        return textAnswer(streams.answer(chunks, c.env.outgoing, { "content-type": archiveType }));
      } catch (error) {
        await sandbox.close();
        throw error;
      }
    })
    .openapi(writeRoute, async (c) => {
      const { environment: where, path: to } = c.req.valid("query");
      const { body, signal } = c.req.raw;
      if (!c.req.header("content-type")?.startsWith(archiveType) || body === null) throw noArchive();
      await withinSandbox(place, c.req.valid("param").name, where, (sandbox) =>
        copyIn(sandbox, { from: inBuffers(body), to, signal }),
      );
      return c.json({ done: true as const }, 200);
    });
}

interface Wanted {
  from: string;
  outsideLinks: "refuse" | "skip";
  signal: AbortSignal;
}

/** The session ends with the archive, or with the signal. A copy that fails cuts the answer: half of one is none. */
async function* archiveOf(sandbox: Sandbox, wanted: Wanted): AsyncGenerator<Uint8Array> {
  const pipe = new PassThrough();
  const copying = copyOut(sandbox, { ...wanted, to: pipe })
    .then(
      () => void pipe.end(),
      (error: unknown) => void pipe.destroy(error instanceof Error ? error : new Error(String(error))),
    )
    .finally(() => sandbox.close());
  copying.catch(() => {});
  for await (const piece of pipe) yield piece;
}

async function* all(first: IteratorResult<Uint8Array>, rest: AsyncGenerator<Uint8Array>) {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

async function* inBuffers(body: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of body) yield Buffer.from(piece);
}

function repositoryOf(name: string, inspected: Record<string, unknown>) {
  const { data } = sandboxRecord.shape.repository.safeParse(inspected["repository"]);
  if (data) return data;
  throw new ServerError("unsupported", `${name} works directly in its folder: there is nothing to fetch`, {
    remedy: "its commits are in the repository already; only clones are fetched from",
  });
}

function workspaceOf({ name, workspaces: [first] }: Sandbox): string {
  if (first) return first.path;
  throw new ServerError("sandbox_broken", `${name} has no workspace`);
}

function noArchive(): ServerError {
  return new ServerError("usage", "this is not a tar archive", {
    remedy: `send one, as content-type: ${archiveType}`,
  });
}
