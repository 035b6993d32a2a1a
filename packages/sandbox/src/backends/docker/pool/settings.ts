import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errno, networkPolicy } from "@opentiger/schema";
import { z } from "zod";
import { SandboxError } from "../../../errors.ts";
import { writeAtomically } from "../../../state/atomic-file.ts";
import type { Place } from "../place.ts";

/** What of the environment decides what a parked sandbox is like: its image, runtime, network and git author. */
const decisive = [
  "SANDBOX_DOCKER_IMAGE",
  "SANDBOX_DOCKER_RUNTIME",
  "SANDBOX_DOCKER_NETWORK",
  "HOME",
  "XDG_CONFIG_HOME",
  "GIT_CONFIG_GLOBAL",
] as const;

/** A machine is full long before. */
export const mostParked = 64;

/** How many sandboxes to keep parked, and of which kind. Absent or 0: the pool is off. */
const poolSettings = z.object({
  size: z.number().int().min(0).max(mostParked),
  image: z.string().optional(),
  network: networkPolicy.optional(),
  limits: z
    .object({ memoryBytes: z.number(), cpus: z.number(), pids: z.number(), fileBytes: z.number() })
    .partial()
    .optional(),
});
export type PoolSettings = z.infer<typeof poolSettings>;

/**
 * With the decisive variables of whoever asked: the pool is the same, whichever process looks after it. Absent in files
 * of older versions.
 */
const storedSettings = poolSettings.extend({ env: z.record(z.string(), z.string()).optional() });
export type StoredPoolSettings = z.infer<typeof storedSettings>;

export function readPoolSettings(place: Pick<Place, "state">): StoredPoolSettings {
  const path = settingsPath(place);
  try {
    return storedSettings.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    if (errno(cause) === "ENOENT") return { size: 0 };
    throw new SandboxError("internal", `the pool's settings in ${path} cannot be read`, {
      remedy: "set them again with `opentiger sandbox pool`, or remove the file",
      cause,
    });
  }
}

export function writePoolSettings(place: Pick<Place, "state" | "env">, settings: PoolSettings): void {
  const stored = { ...poolSettings.parse(settings), env: decisiveIn(place.env) };
  writeAtomically(settingsPath(place), `${JSON.stringify(stored)}\n`);
}

/** The environment of this process, as far as it decides nothing, and that of whoever asked for the pool. */
export function poolEnvironment(place: Pick<Place, "env">, { env }: StoredPoolSettings): NodeJS.ProcessEnv {
  if (!env) return place.env;
  const own = { ...place.env };
  for (const name of decisive) delete own[name];
  return { ...own, ...env };
}

function decisiveIn(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(decisive.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function settingsPath(place: Pick<Place, "state">): string {
  return join(place.state.folder, "pool.json");
}
