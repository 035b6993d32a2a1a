import { queryOptions } from "@tanstack/react-query";
import { ask, askText, part } from "./ask.ts";
import type { Artifacts, Run } from "./types.ts";

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ["run", id],
    queryFn: ({ signal }) => ask<Run>("GET", `/runs/${part(id)}`, { signal }),
  });

export const artifactsQuery = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "artifacts"],
    queryFn: ({ signal }) =>
      ask<Artifacts>("GET", `/runs/${part(id)}/artifacts`, { query: { limit: 500 }, signal }),
  });

/** The patch that the agent made; text of its own, which is shown and never run. */
export const diffQuery = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "diff"],
    queryFn: ({ signal }) => askText(`/runs/${part(id)}/diff`, { signal }),
    retry: false,
  });

export const artifactTextQuery = (run: string, artifact: number) =>
  queryOptions({
    queryKey: ["run", run, "artifact", artifact],
    queryFn: ({ signal }) => askText(`/runs/${part(run)}/artifacts/${artifact}`, { signal }),
  });
