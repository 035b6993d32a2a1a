import { createRoute, z } from "@hono/zod-openapi";
import { collect, connectEngine, defaultHome, exitCode } from "@opentiger/sandbox";
import type { Parts } from "../parts.ts";
import { answers, newApi } from "./api.ts";
import { type ChangedFile, readChanges, readPaths } from "./changed-files.ts";
import { sandboxParams, whereQuery } from "./sandboxes.ts";

const tags = ["sandboxes"];

/** A repository in which git takes longer is not one that a page waits for. */
const gitMs = 20_000;

/** Some hundred thousand names. */
const maxListBytes = 8 * 1024 * 1024;

/** More than anybody reads. */
const maxFiles = 2_000;

const disk = z
  .object({
    /** What it has written beside its image; null: not known. */
    bytes: z.number().int().nullable(),
  })
  .openapi("SandboxDisk");

const changes = z
  .object({
    /** The commit that it is compared with; null: its workspace is no repository, or has no commit. */
    base: z.string().nullable(),
    items: z.array(
      z.object({
        path: z.string(),
        status: z.enum(["added", "modified", "deleted", "type", "untracked"]),
        added: z.number().int().nullable(),
        removed: z.number().int().nullable(),
      }),
    ),
    /** There are more, which are not listed. */
    cut: z.boolean(),
  })
  .openapi("SandboxChanges");

const diskRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/disk",
  tags,
  summary: "How much disk it takes",
  request: { params: sandboxParams, query: whereQuery },
  responses: answers(disk, "In bytes"),
});
const changesRoute = createRoute({
  method: "get",
  path: "/sandboxes/{name}/changes",
  tags,
  summary: "The files of its workspace that are not as they were, as git inside of it says",
  request: { params: sandboxParams, query: whereQuery },
  responses: answers(changes, "Since the commit at which it began"),
});

/** Of what `inspect` says: what is needed here. */
const details = z.object({
  workspaces: z.array(z.object({ path: z.string() })),
  repository: z.object({ commit: z.string().nullable() }).nullish(),
  container: z.object({ id: z.string() }).nullish(),
});

export function sandboxFilesApi({ place }: Parts) {
  return newApi()
    .openapi(diskRoute, async (c) => {
      const { container } = await detailsOf(c.req.valid("param").name, c.req.valid("query").environment);
      if (!container) return c.json({ bytes: null }, 200);
      const { docker } = connectEngine({ env: place.env, home: defaultHome(place.env) });
      const filters = { id: [container.id] };
      const found: unknown = await docker.listContainers({ all: true, size: true, filters });
      const size = z.array(z.object({ SizeRw: z.number().int().optional() })).parse(found)[0]?.SizeRw;
      return c.json({ bytes: size ?? null }, 200);
    })
    .openapi(changesRoute, async (c) => {
      const { name } = c.req.valid("param");
      const where = c.req.valid("query").environment;
      const { workspaces, repository } = await detailsOf(name, where);
      const cwd = workspaces[0]?.path;
      const sandbox = await (await place.backend(where)).open(name, { stopped: "refused" });
      try {
        const git = async (...words: string[]) => {
          const command = ["git", "-c", "core.fsmonitor=false", ...words];
          const execution = await sandbox.exec(command, {
            timeoutMs: gitMs,
            ...(cwd === undefined ? {} : { cwd }),
          });
          const { exit, stdout } = await collect(execution, maxListBytes);
          return exitCode(exit) === 0 ? stdout.toString("utf8") : undefined;
        };
        const base = (await git("rev-parse", "--verify", "-q", repository?.commit ?? "HEAD"))?.trim() ?? null;
        const diff = ["diff", "--raw", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];
        const changed = base === null ? [] : readChanges((await git(...diff, base, "--")) ?? "");
        const others = await git("ls-files", "--others", "--exclude-standard", "-z");
        const untracked = readPaths(others ?? "").map(
          (path): ChangedFile => ({ path, status: "untracked", added: null, removed: null }),
        );
        const all = [...changed, ...untracked];
        return c.json({ base, items: all.slice(0, maxFiles), cut: all.length > maxFiles }, 200);
      } finally {
        await sandbox.close();
      }
    });

  async function detailsOf(name: string, where: "host" | "sandbox") {
    return details.parse(await (await place.backend(where)).inspect(name));
  }
}
