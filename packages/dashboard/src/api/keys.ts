import type { ApiClient } from "@opentiger/server";
import { queryOptions } from "@tanstack/react-query";
import { ask, part } from "./ask.ts";
import type { Answer } from "./types.ts";

type Keys = Answer<ApiClient["auth"]["keys"]["$get"]>;
export type Key = Keys["items"][number];
export type MadeKey = Answer<ApiClient["auth"]["keys"]["$post"]>;

export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: ({ signal }) => ask<Keys>("GET", "/auth/keys", { signal }),
});

/** The key itself is in the answer, and nowhere else afterwards. */
export function addKey({ name, days }: { name: string; days: number | undefined }): Promise<MadeKey> {
  return ask<MadeKey>("POST", "/auth/keys", { body: days === undefined ? { name } : { name, days } });
}

export function revokeKey(id: string): Promise<Key> {
  return ask<Key>("DELETE", `/auth/keys/${part(id)}`);
}
