import { expect } from "vitest";
import type { Row } from "./route-row.ts";

/** Health, settings, usage, events, processes, the image. */
export const systemRoutes: readonly Row[] = [
  {
    route: "GET /health",
    good: { path: "/health", status: 200 },
    bad: { path: "/health", headers: { host: "evil.test" }, status: 403 },
  },
  {
    route: "GET /health/ready",
    good: { path: "/health/ready", status: 200 },
    bad: { path: "/health/ready", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "GET /metrics",
    good: { path: "/metrics", status: 200 },
    bad: { path: "/metrics", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "GET /config",
    good: { path: "/config", status: 200 },
    bad: { path: "/config", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "PATCH /config",
    good: { path: "/config", body: { OPENTIGER_REWORKS: 2 }, status: 200 },
    bad: { path: "/config", body: { NOBODY_KNOWS: 1 }, status: 404 },
  },
  {
    route: "GET /repositories",
    good: { path: "/repositories?limit=5", status: 200 },
    bad: { path: "/repositories?limit=x", status: 400 },
  },
  {
    route: "GET /overview",
    good: { path: "/overview", status: 200 },
    bad: { path: "/overview", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "GET /usage",
    good: { path: "/usage?by=agent&from=2020-01-01", status: 200 },
    bad: { path: "/usage?by=weather", status: 400 },
  },
  {
    route: "GET /events",
    good: { path: "/events?topics=loop,task", status: 200, stream: true },
    bad: { path: "/events?topics=weather", status: 400 },
  },
  {
    route: "GET /system",
    good: { path: "/system", status: 200 },
    bad: { path: "/system", headers: { host: "evil.test" }, status: 403 },
  },
  {
    route: "GET /system/processes",
    good: { path: "/system/processes", status: 200 },
    bad: { path: "/system/processes", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "POST /system/processes/{name}/start",
    good: { path: "/system/processes/dispatcher/start", status: 200 },
    bad: { path: "/system/processes/..%2fsh/start", status: 400 },
  },
  {
    route: "POST /system/processes/{name}/stop",
    good: { path: "/system/processes/dispatcher/stop", status: 200 },
    bad: { path: "/system/processes/Dispatcher/stop", status: 400 },
  },
  {
    route: "POST /system/processes/stop-all",
    good: { path: "/system/processes/stop-all", status: 200 },
    bad: { path: "/system/processes/stop-all", headers: { origin: "null" }, status: 403 },
  },
  {
    route: "GET /system/processes/{name}/log",
    good: { path: "/system/processes/dispatcher/log", status: 200 },
    bad: { path: "/system/processes/..%2f..%2fetc%2fpasswd/log", status: 400 },
  },
  {
    route: "GET /system/{agent}/auth",
    good: { path: "/system/claude/auth?environment=host", status: 200 },
    bad: { path: "/system/nobody/auth", status: 400 },
  },
  {
    route: "GET /agents",
    good: {
      path: "/agents?environment=host",
      status: 200,
      says: {
        items: [{ agent: "claude", roles: expect.arrayContaining(["worker"]) }, { agent: "codex" }, {}],
      },
    },
    bad: { path: "/agents?environment=vm", status: 400 },
  },
  {
    route: "GET /system/docker",
    good: { path: "/system/docker", status: 200 },
    bad: { path: "/system/docker", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "POST /system/docker/build",
    good: { path: "/system/docker/build", body: {}, status: 200, engineless: true },
    bad: { path: "/system/docker/build", body: { base: "windows" }, status: 400 },
  },
  {
    route: "GET /system/docker/build",
    good: { path: "/system/docker/build", status: 200 },
    bad: { path: "/system/docker/build", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "DELETE /system/docker/build",
    good: { path: "/system/docker/build", status: 200 },
    bad: { path: "/system/docker/build", headers: { "x-api-key": "x" }, status: 401 },
  },
];
