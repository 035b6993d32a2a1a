import { loop, loopIn, type Row } from "./route-row.ts";

const story = "- [ ] Add a thing\n";

export const loopRoutes: readonly Row[] = [
  {
    route: "GET /loops",
    good: { path: "/loops?status=running", status: 200 },
    bad: { path: "/loops?status=tired", status: 400 },
  },
  {
    route: "POST /loops",
    good: {
      path: "/loops",
      body: ({ repository }) => ({
        repository: { path: repository },
        requirement: "Do it.",
        stories: { text: story, file: "a.md" },
      }),
      status: 201,
    },
    bad: { path: "/loops", body: { repository: { path: "/does/not/exist" }, requirement: "x" }, status: 404 },
  },
  {
    route: "GET /loops/{id}",
    good: { path: loop(), status: 200 },
    bad: { path: "/loops/zzzzzzzz", status: 404 },
  },
  {
    route: "GET /loops/{id}/plan",
    good: { path: loop("/plan"), status: 200 },
    bad: { path: "/loops/nope/plan", status: 400 },
  },
  {
    route: "PUT /loops/{id}/plan",
    good: {
      path: loopIn("waiting", "/plan"),
      body: { summary: "s", tasks: [planned()] },
      status: 200,
      says: { plan: { tasks: [{ key: "one" }] } },
    },
    bad: { path: loop("/plan"), body: { summary: "s", tasks: [planned()] }, status: 409 },
  },
  {
    route: "GET /loops/{id}/events",
    good: { path: loop("/events?limit=3"), status: 200 },
    bad: { path: loop("/events?task=x"), status: 400 },
  },
  {
    route: "GET /loops/{id}/usage",
    good: { path: loop("/usage"), status: 200 },
    bad: { path: "/loops/zzzzzzzz/usage", status: 404 },
  },
  {
    route: "POST /loops/{id}/merge",
    good: { path: loopIn("done", "/merge"), status: 200, says: { into: "main", how: "fast-forward" } },
    bad: { path: loop("/merge"), status: 409 },
  },
  {
    route: "GET /loops/{id}/patch",
    good: { path: loopIn("done", "/patch"), status: 200, says: "+by an agent" },
    bad: { path: loop("/patch"), status: 409 },
  },
  {
    route: "POST /loops/{id}/approve",
    good: { path: loopIn("waiting", "/approve"), status: 200, says: { state: "running" } },
    bad: { path: loopIn("waiting", "/approve"), body: { planVersion: "0f3a9c51be77" }, status: 409 },
  },
  {
    route: "POST /loops/{id}/pause",
    good: { path: loop("/pause"), status: 200 },
    bad: { path: "/loops/zzzzzzzz/pause", status: 404 },
  },
  {
    route: "POST /loops/{id}/resume",
    good: { path: loop("/resume"), body: { budget: { tokens: 1_000_000, usd: null } }, status: 200 },
    bad: { path: loop("/resume"), body: { budget: 3 }, status: 400 },
  },
  {
    route: "POST /loops/{id}/retry",
    good: { path: loopIn("failed", "/retry"), status: 200, says: { state: "running" } },
    bad: { path: loop("/retry"), status: 409 },
  },
];

/** Behind those of its tasks and runs, which need it. */
export const loopEndRoutes: readonly Row[] = [
  {
    route: "POST /loops/{id}/cancel",
    good: { path: loop("/cancel"), status: 200 },
    bad: { path: "/loops/zzzzzzzz/cancel", status: 404 },
  },
  {
    route: "POST /loops/{id}/discard",
    good: { path: loopIn("done", "/discard"), status: 200, says: { branch: null } },
    bad: { path: loopIn("failed", "/discard"), status: 409 },
  },
];

function planned() {
  return {
    key: "one",
    title: "One",
    role: "worker",
    instructions: "Do.",
    needs: [],
    allowedPaths: [],
    mayChange: [],
    verify: [],
    risk: "low",
    estimate: null,
  };
}
