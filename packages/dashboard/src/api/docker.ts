import type { ApiClient } from "@opentiger/server";
import { queryOptions } from "@tanstack/react-query";
import { ask } from "./ask.ts";
import type { Answer } from "./types.ts";

export type Docker = Answer<ApiClient["system"]["docker"]["$get"]>;

/** It starts a container, so it is looked at once after each build, and again when somebody asks. */
export const dockerQuery = (afterBuild: string | null) =>
  queryOptions({
    queryKey: ["docker", afterBuild],
    queryFn: ({ signal }) => ask<Docker>("GET", "/system/docker", { signal }),
    staleTime: "static",
    retry: false,
  });
