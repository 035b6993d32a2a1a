import type { ApiClient } from "@opentiger/server";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { ask } from "./ask.ts";
import type { Answer } from "./types.ts";

type Audit = Answer<ApiClient["audit"]["$get"]>;
export type AuditRow = Audit["items"][number];

/** The newest first, a page after the other. */
export const auditQuery = infiniteQueryOptions({
  queryKey: ["audit"],
  queryFn: ({ pageParam, signal }) =>
    ask<Audit>("GET", "/audit", { query: { after: pageParam, limit: 100 }, signal }),
  initialPageParam: undefined as number | undefined,
  getNextPageParam: (page) => page.next ?? undefined,
  refetchInterval: 10_000,
});
