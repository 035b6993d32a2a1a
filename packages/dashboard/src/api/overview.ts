import { queryOptions } from "@tanstack/react-query";
import { ask } from "./ask.ts";
import type { Overview } from "./types.ts";

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: ({ signal }) => ask<Overview>("GET", "/overview", { signal }),
});
