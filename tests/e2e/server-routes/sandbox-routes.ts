import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { askServer } from "../../setup/ask-server.ts";
import { docker } from "../../setup/docker.ts";
import { temporaryFolder } from "../../setup/temporary-workspace.ts";
import type { RouteWorld, Row } from "./route-row.ts";

const box = "routes-box";
export const savedImage = "opentiger-test/routes:saved";

/** Made on the host, where that takes a moment. */
const clone = "routes-clone";
const exec = "routes-exec";

const onBox = (rest = "") => `/sandboxes/${box}${rest}`;
const noBox = (rest = "") => `/sandboxes/nobody${rest}`;

/** These need an engine. */
export const sandboxRoutes: readonly Row[] = [
  {
    route: "POST /sandboxes",
    good: {
      path: "/sandboxes",
      body: ({ workspace }) => ({ name: box, agent: "shell", workspaces: [{ path: workspace }] }),
      status: 201,
    },
    bad: { path: "/sandboxes", body: { agent: "shell", workspaces: [{ path: "/" }] }, status: 400 },
  },
  {
    route: "GET /sandboxes",
    good: { path: "/sandboxes", status: 200 },
    bad: { path: "/sandboxes?environment=vm", status: 400 },
  },
  {
    route: "GET /sandboxes/{name}",
    good: { path: onBox(), status: 200 },
    bad: { path: noBox(), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/exec",
    good: { path: onBox("/exec"), body: { command: ["sh", "-c", "echo hi; exit 3"] }, status: 200 },
    bad: { path: onBox("/exec"), body: { command: [] }, status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/execs",
    good: { path: onBox("/execs"), status: 200 },
    bad: { path: noBox("/execs"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/execs",
    good: {
      path: onBox("/execs"),
      body: { id: exec, command: ["sh", "-c", "echo begun; sleep 1000"] },
      status: 201,
      says: { id: exec, exit: null },
    },
    bad: { path: onBox("/execs"), body: { id: "short", command: ["true"] }, status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/execs/{id}",
    good: { path: onBox(`/execs/${exec}`), status: 200, says: { exit: null } },
    bad: { path: onBox("/execs/nobody-knows"), status: 404 },
  },
  {
    route: "GET /sandboxes/{name}/execs/{id}/output",
    good: { path: onBox(`/execs/${exec}/output`), status: 200, stream: true },
    bad: { path: onBox("/execs/nobody-knows/output"), status: 404 },
  },
  {
    route: "DELETE /sandboxes/{name}/execs/{id}",
    good: { path: onBox(`/execs/${exec}`), status: 200, says: { id: exec } },
    bad: { path: onBox("/execs/nobody-knows"), status: 404 },
  },
  {
    route: "PUT /sandboxes/{name}/files",
    good: {
      path: onBox("/files?path=/tmp"),
      headers: { "content-type": "application/x-tar" },
      body: archive,
      status: 200,
    },
    bad: { path: onBox("/files?path=/tmp"), body: {}, status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/files",
    good: { path: onBox("/files?path=/tmp/notes.txt"), status: 200, says: "as it was sent" },
    bad: { path: onBox("/files?path=/tmp/nothing"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/fetch",
    good: {
      path: `/sandboxes/${clone}/fetch?environment=host`,
      status: 200,
      says: {
        commits: 1,
        refs: expect.arrayContaining([{ name: `refs/sandboxes/${clone}/HEAD`, oid: expect.any(String) }]),
      },
      before: cloneWithCommit,
    },
    bad: { path: onBox("/fetch"), status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/disk",
    good: { path: onBox("/disk"), status: 200 },
    bad: { path: noBox("/disk"), status: 404 },
  },
  {
    route: "GET /sandboxes/{name}/changes",
    good: { path: onBox("/changes"), status: 200 },
    bad: { path: noBox("/changes"), status: 404 },
  },
  {
    route: "GET /sandboxes/{name}/stats",
    good: { path: onBox("/stats"), status: 200 },
    bad: { path: noBox("/stats"), status: 404 },
  },
  {
    route: "GET /sandboxes/{name}/terminal",
    good: { path: onBox("/terminal"), status: 101, socket: box },
    bad: { path: onBox("/terminal"), status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/network",
    good: { path: onBox("/network"), status: 200 },
    bad: { path: noBox("/network"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/network",
    good: { path: onBox("/network"), body: { policy: "deny", allowHost: ["example.test"] }, status: 200 },
    bad: { path: onBox("/network"), body: { policy: "perhaps" }, status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/network/log",
    good: { path: onBox("/network/log"), status: 200 },
    bad: { path: "/sandboxes/a%20b/network/log", status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/network/learned",
    good: { path: onBox("/network/learned"), status: 200 },
    bad: { path: noBox("/network/learned"), status: 404 },
  },
  {
    route: "GET /sandboxes/{name}/ports",
    good: { path: onBox("/ports"), status: 200 },
    bad: { path: noBox("/ports"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/ports",
    good: { path: onBox("/ports"), body: ({ port }) => ({ inside: 8080, publish: port }), status: 200 },
    bad: { path: onBox("/ports"), body: { inside: 70_000 }, status: 400 },
  },
  {
    route: "DELETE /sandboxes/{name}/ports/{port}",
    good: { path: ({ port }) => onBox(`/ports/${port}`), status: 200 },
    bad: { path: ({ port }) => onBox(`/ports/${port}`), status: 404 },
  },
  {
    route: "GET /sandboxes/{name}/usage",
    good: { path: onBox("/usage"), status: 200 },
    bad: { path: noBox("/usage"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/budget",
    good: { path: onBox("/budget"), body: { usd: 2 }, status: 200 },
    bad: { path: onBox("/budget"), body: { usd: -1 }, status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/auth",
    good: { path: onBox("/auth"), status: 200 },
    bad: { path: noBox("/auth"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/grant",
    good: { path: onBox("/grant"), status: 200 },
    bad: { path: noBox("/grant"), status: 404 },
  },
  {
    route: "DELETE /sandboxes/{name}/grant",
    good: { path: onBox("/grant"), status: 200 },
    bad: { path: noBox("/grant"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/save",
    good: { path: onBox("/save"), body: { tag: savedImage }, status: 200 },
    bad: { path: noBox("/save"), body: { tag: savedImage }, status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/stop",
    good: { path: onBox("/stop"), status: 200 },
    bad: { path: noBox("/stop"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/start",
    good: { path: onBox("/start"), status: 200 },
    bad: { path: noBox("/start"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/resume",
    good: { path: onBox("/resume"), status: 200, before: pauseBox },
    bad: { path: noBox("/resume"), status: 404 },
  },
  {
    route: "DELETE /sandboxes/{name}",
    good: { path: onBox("?force=true"), status: 200 },
    bad: { path: "/sandboxes/a%20b", status: 400 },
  },
  {
    route: "PUT /pool",
    good: { path: "/pool", body: { size: 1, network: "deny" }, status: 200, says: { size: 1, parked: 1 } },
    bad: { path: "/pool", body: { size: 65 }, status: 400 },
  },
  {
    route: "GET /pool",
    good: { path: "/pool", status: 200, says: { size: 1, parked: 1 } },
    bad: { path: "/pool", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "POST /sandboxes/prune",
    good: { path: "/sandboxes/prune", status: 200 },
    bad: { path: "/sandboxes/prune?environment=vm", status: 400 },
  },
  {
    route: "POST /sandboxes/reset",
    good: {
      path: "/sandboxes/reset?environment=host&force=true",
      status: 200,
      says: { removed: expect.arrayContaining([clone]) },
    },
    bad: { path: "/sandboxes/reset", status: 400 },
  },
];

/** As it happens where the disk is nearly full. */
async function pauseBox(): Promise<void> {
  const container = await docker("ps", "--quiet", "--filter", `label=opentiger.name=${box}`);
  await docker("pause", container);
}

/** A sandbox with a commit that its repository does not have. */
async function cloneWithCommit({ url, repository }: RouteWorld): Promise<void> {
  const body = { name: clone, agent: "shell", kind: "clone", workspaces: [{ path: repository }] };
  await askServer(url, "/sandboxes?environment=host", { method: "POST", body });
  const command = [
    "git",
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@b.test",
    "commit",
    "--allow-empty",
    "-m",
    "more",
  ];
  await askServer(url, `/sandboxes/${clone}/exec?environment=host`, { method: "POST", body: { command } });
}

function archive(): Buffer {
  const folder = temporaryFolder("archive-");
  writeFileSync(join(folder, "notes.txt"), "as it was sent\n");
  return execFileSync("tar", ["-C", folder, "-c", "notes.txt"]);
}
