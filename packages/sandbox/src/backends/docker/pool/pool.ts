import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultNetworkSettings, networkPolicy, type SandboxRecord } from "@opentiger/schema";
import { z } from "zod";
import { SandboxError } from "../../../errors.ts";
import { workerImageName } from "../../../image/name.ts";
import { errno, writeAtomically } from "../../../state/atomic-file.ts";
import { discard } from "../discard.ts";
import { findImage } from "../image/image.ts";
import type { Place } from "../place.ts";
import { decide } from "../plan/decide.ts";
import { gitAuthor } from "../plan/git-author.ts";
import { nobody, type Plan } from "../plan/plan.ts";
import { poolKey } from "./key.ts";
import { noSupervisor, nothingYet, park } from "./park.ts";
import { takeToken, tokens, withdraw } from "./tokens.ts";

/** How many sandboxes to keep parked, and of which kind. Absent or 0: the pool is off. */
export const poolSettings = z.object({
  size: z.number().int().min(0).max(64),
  image: z.string().optional(),
  network: networkPolicy.optional(),
  limits: z
    .object({ memoryBytes: z.number(), cpus: z.number(), pids: z.number(), fileBytes: z.number() })
    .partial()
    .optional(),
});
export type PoolSettings = z.infer<typeof poolSettings>;

export interface PoolStatus {
  size: number;
  parked: number;
}

function readPoolSettings(place: Pick<Place, "state">): PoolSettings {
  const path = settingsPath(place);
  try {
    return poolSettings.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    if (errno(cause) === "ENOENT") return { size: 0 };
    throw new SandboxError("internal", `the pool's settings in ${path} cannot be read`, {
      remedy: "set them again with `opentiger sandbox pool`, or remove the file",
      cause,
    });
  }
}

export function writePoolSettings(place: Pick<Place, "state">, settings: PoolSettings): void {
  writeAtomically(settingsPath(place), `${JSON.stringify(poolSettings.parse(settings))}\n`);
}

/** Parks sandboxes until there are as many as the settings say; returns how many were added. */
export async function fillPool(place: Place, settings: PoolSettings, signal?: AbortSignal): Promise<number> {
  const plan = await parkedPlan(place, settings);
  const key = poolKey(place, plan);
  if (key === undefined) throw noSupervisor(plan);
  let added = 0;
  while (tokens(place.state).filter((token) => token.key === key).length < settings.size) {
    await park(place, plan, { key, signal });
    added += 1;
  }
  return added;
}

/** Removes the parked sandboxes of this engine, or those of them that are meant; returns how many there were. */
export async function drainPool(
  place: Place,
  isMeant: (record: SandboxRecord) => boolean = () => true,
): Promise<number> {
  let drained = 0;
  for (const record of place.state.records.list().records) {
    if (record.state !== "parked" || record.engine !== place.facts.id) continue;
    if (!isMeant(record) || isBeingTaken(place, record)) continue;
    withdraw(place.state, record.id);
    await discard(place, record);
    drained += 1;
  }
  return drained;
}

/** Whoever is adopting it has it; without a token nobody can take it any more. */
function isBeingTaken({ state }: Place, { id }: SandboxRecord): boolean {
  const token = tokens(state).find((candidate) => candidate.id === id);
  return token !== undefined && !takeToken(state, token) && token.taker !== process.pid;
}

export function poolStatus(place: Pick<Place, "state">): PoolStatus {
  const { records } = place.state.records.list();
  // Those that hold a clone already were asked for by other settings.
  const parked = records.filter(({ state, repository }) => state === "parked" && !repository);
  return { size: readPoolSettings(place).size, parked: parked.length };
}

/** As a clone of a repository of this user's would be planned, without the repository. */
async function parkedPlan(place: Place, settings: PoolSettings): Promise<Plan> {
  const reference = settings.image ?? workerImageName(place.env, place.warn);
  const [image, author] = await Promise.all([
    findImage(place.docker, reference, { pull: "never" }),
    gitAuthor(place.env),
  ]);
  const owner = nobody(place);
  const { limits, network: policy = "allow" } = settings;
  const decided = await decide(place, { kind: "clone", owner, image, author, limits, policy });
  const network = { ...defaultNetworkSettings, policy };
  return { ...decided, ...nothingYet, network, agent: "shell" };
}

function settingsPath(place: Pick<Place, "state">): string {
  return join(place.state.folder, "pool.json");
}
