import type { ApiClient } from "@opentiger/server";
import { queryOptions } from "@tanstack/react-query";
import { ask, part } from "./ask.ts";
import type { Answer, Secrets } from "./types.ts";

export type Secret = Secrets["items"][number];
type Leases = Answer<ApiClient["secrets"]["leases"]["$get"]>;
export type Lease = Leases["items"][number];

/** The vault is a folder that other programs write too, and it tells nobody. */
const lookMs = 10_000;

export const secretsQuery = queryOptions({
  queryKey: ["secrets"],
  queryFn: ({ signal }) => ask<Secrets>("GET", "/secrets", { signal }),
  refetchInterval: lookMs,
});

export const leasesQuery = queryOptions({
  queryKey: ["secrets", "leases"],
  queryFn: ({ signal }) => ask<Leases>("GET", "/secrets/leases", { signal }),
  refetchInterval: lookMs,
});

export function putSecret({
  name,
  value,
  expiresAt,
}: {
  name: string;
  value: string;
  expiresAt: string | undefined;
}): Promise<Secret> {
  const body = expiresAt === undefined ? { value } : { value, expiresAt };
  return ask<Secret>("PUT", `/secrets/${part(name)}`, { body });
}

export function removeSecret(name: string): Promise<unknown> {
  return ask("DELETE", `/secrets/${part(name)}`);
}

export function revokeLease(id: string): Promise<unknown> {
  return ask("DELETE", `/secrets/leases/${part(id)}`);
}
