import type { Row } from "./route-row.ts";

export const secretRoutes: readonly Row[] = [
  {
    route: "GET /secrets",
    good: { path: "/secrets", status: 200 },
    bad: { path: "/secrets", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "PUT /secrets/{name}",
    good: { path: "/secrets/mine", body: { value: "something" }, status: 200 },
    bad: { path: "/secrets/mine", body: { value: "" }, status: 400 },
  },
  {
    route: "GET /secrets/leases",
    good: { path: "/secrets/leases", status: 200 },
    bad: { path: "/secrets/leases", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "DELETE /secrets/leases/{id}",
    good: { path: ({ lease }) => `/secrets/leases/${lease}`, status: 200 },
    bad: { path: `/secrets/leases/${"0".repeat(20)}`, status: 404 },
  },
  {
    route: "DELETE /secrets/{name}",
    good: { path: "/secrets/mine", status: 200 },
    bad: { path: "/secrets/mine", status: 404 },
  },
];
