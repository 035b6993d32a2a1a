import type { Row } from "./route-row.ts";

/** Keys, links, sessions, and who did what. */
export const accessRoutes: readonly Row[] = [
  {
    route: "GET /auth/me",
    good: { path: "/auth/me", status: 200 },
    bad: { path: "/auth/me", headers: { authorization: "x" }, status: 401 },
  },
  {
    route: "GET /auth/keys",
    good: { path: "/auth/keys", status: 200 },
    bad: { path: "/auth/keys", headers: { origin: "null" }, status: 403 },
  },
  {
    route: "POST /auth/keys",
    good: { path: "/auth/keys", body: { name: "other", days: 3 }, status: 201 },
    bad: { path: "/auth/keys", body: { name: "a b" }, status: 400 },
  },
  {
    route: "DELETE /auth/keys/{id}",
    good: { path: ({ keyId }) => `/auth/keys/${keyId}`, status: 200 },
    bad: { path: ({ keyId }) => `/auth/keys/${keyId}`, status: 404 },
  },
  {
    route: "POST /auth/links",
    good: { path: "/auth/links", status: 201 },
    bad: { path: "/auth/links", headers: { origin: "http://evil.test" }, status: 403 },
  },
  {
    route: "POST /auth/session",
    good: {
      path: "/auth/session",
      body: ({ login }) => ({ token: login }),
      status: 200,
      says: { kind: "session" },
    },
    bad: { path: "/auth/session", body: ({ login }) => ({ token: login }), status: 401 },
  },
  {
    route: "DELETE /auth/session",
    good: { path: "/auth/session", status: 200 },
    bad: { path: "/auth/session", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "GET /audit",
    good: { path: "/audit?limit=2", status: 200 },
    bad: { path: "/audit?limit=0", status: 400 },
  },
];
