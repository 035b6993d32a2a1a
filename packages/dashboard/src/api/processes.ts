import type { ApiClient } from "@opentiger/server";
import { queryOptions } from "@tanstack/react-query";
import { ask, part } from "./ask.ts";
import type { Answer, Processes } from "./types.ts";

export type Process = Processes["items"][number];
type ProcessLog = Answer<ApiClient["system"]["processes"][":name"]["log"]["$get"]>;

/** Nothing tells that a line was written. */
const logMs = 2_000;

export const processesQuery = queryOptions({
  queryKey: ["system", "processes"],
  queryFn: ({ signal }) => ask<Processes>("GET", "/system/processes", { signal }),
});

export const processLogQuery = (name: string) =>
  queryOptions({
    queryKey: ["system", "processes", name, "log"],
    queryFn: ({ signal }) => ask<ProcessLog>("GET", `/system/processes/${part(name)}/log`, { signal }),
    refetchInterval: logMs,
  });

export function moveProcess(name: string, verb: "start" | "stop"): Promise<Process> {
  return ask<Process>("POST", `/system/processes/${part(name)}/${verb}`);
}
