import { loop, none, type Row, run } from "./route-row.ts";

export const runRoutes: readonly Row[] = [
  {
    route: "GET /loops/{id}/runs",
    good: { path: loop("/runs"), status: 200 },
    bad: { path: loop("/runs?after=-1"), status: 400 },
  },
  {
    route: "GET /runs",
    good: {
      path: "/runs?status=running&role=worker&agent=claude_code",
      status: 200,
      says: { items: [{ agent: "claude_code", state: "running" }] },
    },
    bad: { path: "/runs?role=king", status: 400 },
  },
  {
    route: "GET /runs/{id}",
    good: { path: run(), status: 200 },
    bad: { path: `/runs/${none}`, status: 404 },
  },
  {
    route: "GET /runs/{id}/transcript",
    good: { path: run("/transcript?after=1"), status: 200 },
    bad: { path: run("/transcript?after=x"), status: 400 },
  },
  {
    route: "GET /runs/{id}/transcript/live",
    good: { path: run("/transcript/live"), status: 200, stream: true },
    bad: { path: `/runs/${none}/transcript/live`, status: 404 },
  },
  {
    route: "GET /runs/{id}/artifacts",
    good: { path: run("/artifacts"), status: 200 },
    bad: { path: `/runs/${none}/artifacts`, status: 404 },
  },
  {
    route: "GET /runs/{id}/artifacts/{artifact}",
    good: { path: ({ world }) => `/runs/${world.run}/artifacts/${world.artifact}`, status: 200 },
    bad: { path: run("/artifacts/999"), status: 404 },
  },
  {
    route: "GET /runs/{id}/diff",
    good: { path: run("/diff"), status: 200 },
    bad: { path: `/runs/${none}/diff`, status: 404 },
  },
];
