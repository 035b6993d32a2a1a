import type { ApiClient } from "@opentiger/server";
import { queryOptions } from "@tanstack/react-query";
import { ask, part } from "./ask.ts";
import type { Answer } from "./types.ts";

type One = ApiClient["sandboxes"][":name"];
export type Environment = "host" | "sandbox";
export type Sandboxes = Answer<ApiClient["sandboxes"]["$get"]>;
export type SandboxItem = Sandboxes["items"][number];
export type SandboxStats = Answer<One["stats"]["$get"]>;
export type SandboxExecs = Answer<One["execs"]["$get"]>;
export type SandboxChanges = Answer<One["changes"]["$get"]>;
/** With the share of a processor's time since the reading before; null at the first. */
export type ReadStats = SandboxStats & { readAt: number; cpu: number | null };
type SandboxDisk = Answer<One["disk"]["$get"]>;
type SandboxUsage = Answer<One["usage"]["$get"]>;
type SandboxDetails = Answer<One["$get"]>;

/** The engine tells nobody what happens to its containers. */
const lookMs = 5_000;
const statsMs = 3_000;
/** It is counted file by file. */
const diskMs = 30_000;

/** Of both environments; one that cannot be asked has none, and the other is shown. */
export const sandboxesQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ["sandboxes", environment],
    queryFn: ({ signal }) => ask<Sandboxes>("GET", "/sandboxes", { query: { environment }, signal }),
    refetchInterval: lookMs,
  });

export const sandboxQuery = (name: string, environment: Environment) =>
  queryOptions({
    queryKey: ["sandbox", name, environment],
    queryFn: ({ signal }) => ask<SandboxDetails>("GET", at(name), { query: { environment }, signal }),
    refetchInterval: lookMs,
    retry: false,
  });

/** Only of one that runs: to ask one that is stopped would start it. */
export const statsQuery = (name: string, environment: Environment, running: boolean) =>
  queryOptions({
    queryKey: ["sandbox", name, environment, "stats"],
    queryFn: async ({ signal, client, queryKey }): Promise<ReadStats> => {
      const before = client.getQueryData<ReadStats>(queryKey);
      const stats = await ask<SandboxStats>("GET", at(name, "stats"), { query: { environment }, signal });
      const readAt = performance.now();
      return { ...stats, readAt, cpu: before ? shareOf(before, stats, readAt) : null };
    },
    enabled: running,
    refetchInterval: statsMs,
    retry: false,
  });

export const diskQuery = (name: string, environment: Environment) =>
  queryOptions({
    queryKey: ["sandbox", name, environment, "disk"],
    queryFn: ({ signal }) => ask<SandboxDisk>("GET", at(name, "disk"), { query: { environment }, signal }),
    refetchInterval: diskMs,
    retry: false,
  });

export const execsQuery = (name: string, environment: Environment, running: boolean) =>
  queryOptions({
    queryKey: ["sandbox", name, environment, "execs"],
    queryFn: ({ signal }) => ask<SandboxExecs>("GET", at(name, "execs"), { query: { environment }, signal }),
    enabled: running,
    refetchInterval: lookMs,
  });

export const changesQuery = (name: string, environment: Environment, running: boolean) =>
  queryOptions({
    queryKey: ["sandbox", name, environment, "changes"],
    queryFn: ({ signal }) =>
      ask<SandboxChanges>("GET", at(name, "changes"), { query: { environment }, signal }),
    enabled: running,
    refetchInterval: 2 * lookMs,
  });

export const sandboxUsageQuery = (name: string) =>
  queryOptions({
    queryKey: ["sandbox", name, "usage"],
    queryFn: ({ signal }) => ask<SandboxUsage>("GET", at(name, "usage"), { signal }),
    retry: false,
  });

export function moveSandbox(
  name: string,
  environment: Environment,
  verb: "start" | "stop" | "resume",
): Promise<unknown> {
  return ask("POST", at(name, verb), { query: { environment } });
}

export function removeSandbox(name: string, environment: Environment, force: boolean): Promise<unknown> {
  return ask("DELETE", at(name), { query: { environment, force } });
}

export function saveSandbox(name: string, environment: Environment, tag: string): Promise<unknown> {
  return ask("POST", at(name, "save"), { query: { environment }, body: { tag } });
}

function shareOf(before: ReadStats, { cpuUsec }: SandboxStats, readAt: number): number {
  return Math.max(0, (cpuUsec - before.cpuUsec) / 1_000 / Math.max(1, readAt - before.readAt));
}

export function at(name: string, rest = ""): string {
  return `/sandboxes/${part(name)}${rest === "" ? "" : `/${rest}`}`;
}
