import type { Row } from "./route-row.ts";

export const box = "routes-box";

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
    good: { path: onBox("/terminal"), status: 400 },
    bad: { path: onBox("/terminal?rows=0"), status: 400 },
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
    good: { path: onBox("/ports"), body: { inside: 8080 }, status: 200 },
    bad: { path: onBox("/ports"), body: { inside: 70_000 }, status: 400 },
  },
  {
    route: "DELETE /sandboxes/{name}/ports/{port}",
    good: { path: onBox("/ports/1"), status: 404 },
    bad: { path: onBox("/ports/x"), status: 400 },
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
    good: { path: noBox("/save"), body: { tag: "opentiger-test/routes:none" }, status: 404 },
    bad: { path: onBox("/save"), body: {}, status: 400 },
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
    good: { path: noBox("/resume"), status: 404 },
    bad: { path: "/sandboxes/a%20b/resume", status: 400 },
  },
  {
    route: "DELETE /sandboxes/{name}",
    good: { path: onBox("?force=true"), status: 200 },
    bad: { path: "/sandboxes/a%20b", status: 400 },
  },
];
