import { queryOptions } from "@tanstack/react-query";
import { ask } from "./ask.ts";
import type { Config, Repositories, System, UsageRows } from "./types.ts";

export const systemQuery = queryOptions({
  queryKey: ["system"],
  queryFn: ({ signal }) => ask<System>("GET", "/system", { signal }),
});

export const configQuery = queryOptions({
  queryKey: ["system", "config"],
  queryFn: ({ signal }) => ask<Config>("GET", "/config", { signal }),
});

export const repositoriesQuery = queryOptions({
  queryKey: ["loops", "repositories"],
  queryFn: ({ signal }) => ask<Repositories>("GET", "/repositories", { query: { limit: 500 }, signal }),
});

export const usageQuery = (by: "day" | "loop" | "agent" | "model" | "role", from?: string) =>
  queryOptions({
    queryKey: ["usage", by, { from }],
    queryFn: ({ signal }) => ask<UsageRows>("GET", "/usage", { query: { by, from }, signal }),
  });

export function patchConfig(patch: Readonly<Record<string, unknown>>): Promise<Config> {
  return ask<Config>("PATCH", "/config", { body: patch });
}
