import type { ApiClient } from "@opentiger/server";
import { queryOptions } from "@tanstack/react-query";
import { ask } from "./ask.ts";
import { at } from "./sandboxes.ts";
import type { Answer, Body } from "./types.ts";

type One = ApiClient["sandboxes"][":name"];
export type NetworkSettings = Answer<One["network"]["$get"]>;
export type NetworkLog = Answer<One["network"]["log"]["$get"]>;
export type NetworkRow = NetworkLog["items"][number];
export type NetworkChange = Body<One["network"]["$post"]>;
type Ports = Answer<One["ports"]["$get"]>;
type Port = Answer<One["ports"]["$post"]>;

/** What an agent tried a moment ago is there when somebody looks. */
const logMs = 1_500;

export const networkQuery = (name: string) =>
  queryOptions({
    queryKey: ["sandbox", name, "network"],
    queryFn: ({ signal }) => ask<NetworkSettings>("GET", at(name, "network"), { signal }),
  });

export const networkLogQuery = (name: string) =>
  queryOptions({
    queryKey: ["sandbox", name, "network", "log"],
    queryFn: ({ signal }) => ask<NetworkLog>("GET", at(name, "network/log"), { signal }),
    refetchInterval: logMs,
  });

export const portsQuery = (name: string) =>
  queryOptions({
    queryKey: ["sandbox", name, "ports"],
    queryFn: ({ signal }) => ask<Ports>("GET", at(name, "ports"), { signal }),
  });

export function changeNetwork(name: string, change: NetworkChange): Promise<NetworkSettings> {
  return ask<NetworkSettings>("POST", at(name, "network"), { body: change });
}

export function publishPort(name: string, inside: number): Promise<Port> {
  return ask<Port>("POST", at(name, "ports"), { body: { inside } });
}

export function closePort(name: string, published: number): Promise<unknown> {
  return ask("DELETE", at(name, `ports/${published}`));
}
