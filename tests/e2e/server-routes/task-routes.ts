import { loop, none, type Row, task } from "./route-row.ts";

export const taskRoutes: readonly Row[] = [
  {
    route: "GET /loops/{id}/tasks",
    good: { path: loop("/tasks?status=queued"), status: 200 },
    bad: { path: loop("/tasks?status=x"), status: 400 },
  },
  {
    route: "POST /loops/{id}/tasks",
    good: {
      path: loop("/tasks"),
      body: { title: "More", role: "worker", instructions: "Do.", needs: [], allowedPaths: ["x/**"] },
      status: 201,
    },
    bad: { path: loop("/tasks"), body: { title: "" }, status: 400 },
  },
  {
    route: "GET /tasks",
    good: { path: "/tasks?status=running&role=worker", status: 200, says: { items: [{ title: "a" }] } },
    bad: { path: "/tasks?status=x", status: 400 },
  },
  {
    route: "GET /tasks/{id}",
    good: { path: task(0), status: 200 },
    bad: { path: `/tasks/${none}`, status: 404 },
  },
  {
    route: "PATCH /tasks/{id}",
    good: { path: task(1), body: { title: "Another title" }, status: 200 },
    bad: { path: task(1), body: { state: "done" }, status: 400 },
  },
  {
    route: "GET /tasks/{id}/runs",
    good: { path: task(0, "/runs"), status: 200 },
    bad: { path: `/tasks/${none}/runs`, status: 404 },
  },
  {
    route: "GET /judgements",
    good: { path: "/judgements?judgement=fail&limit=5", status: 200 },
    bad: { path: "/judgements?judgement=perhaps", status: 400 },
  },
  {
    route: "GET /tasks/{id}/judgements",
    good: { path: task(0, "/judgements"), status: 200 },
    bad: { path: "/tasks/1/judgements", status: 400 },
  },
  {
    route: "GET /tasks/{id}/messages",
    good: { path: task(0, "/messages"), status: 200 },
    bad: { path: `/tasks/${none}/messages`, status: 404 },
  },
  {
    route: "POST /tasks/{id}/messages",
    good: {
      path: task(0, "/messages"),
      body: { text: "Use the parser." },
      status: 201,
      says: { givenAt: null },
    },
    bad: { path: task(2, "/messages"), body: { text: "Use the parser." }, status: 409 },
  },
  {
    route: "POST /tasks/{id}/send-back",
    good: {
      path: ({ states }) => `/tasks/${states.judged}/send-back`,
      body: { message: "Simpler.", comments: [{ path: "a.txt", line: 1, text: "Why?" }] },
      status: 200,
      says: { became: "rework", task: { state: "blocked(needs_rework)" } },
    },
    bad: { path: task(2, "/send-back"), body: { message: "Simpler." }, status: 409 },
  },
  {
    route: "POST /tasks/{id}/pause",
    good: { path: task(2, "/pause"), status: 200 },
    bad: { path: `/tasks/${none}/pause`, status: 404 },
  },
  {
    route: "POST /tasks/{id}/resume",
    good: { path: task(2, "/resume"), status: 200 },
    bad: { path: task(2, "/resume"), status: 409 },
  },
  {
    route: "POST /tasks/{id}/cancel",
    good: { path: task(2, "/cancel"), status: 200 },
    bad: { path: `/tasks/${none}/cancel`, status: 404 },
  },
  {
    route: "POST /tasks/{id}/retry",
    good: { path: task(2, "/retry"), status: 200 },
    bad: { path: task(2, "/retry"), status: 409 },
  },
];
