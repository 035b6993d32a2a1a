import type { ApiClient } from "@opentiger/server";
import { queryOptions } from "@tanstack/react-query";
import { ask } from "./ask.ts";
import type { Answer } from "./types.ts";

type LastBuild = Answer<ApiClient["system"]["docker"]["build"]["$get"]>;
export type ImageBuild = NonNullable<LastBuild["build"]>;

export interface BuildChoices {
  base: "registry" | "debian";
  /** Without the engine's cache. */
  fresh: boolean;
}

/** The build that goes on, or the last one, whichever window began it. */
export const imageBuildQuery = queryOptions({
  queryKey: ["system", "build"],
  queryFn: ({ signal }) => ask<LastBuild>("GET", "/system/docker/build", { signal }),
});

export async function buildImage(body: BuildChoices): Promise<void> {
  await ask<ImageBuild>("POST", "/system/docker/build", { body });
}

export async function stopBuild(): Promise<void> {
  await ask<LastBuild>("DELETE", "/system/docker/build");
}
