import { join } from "node:path";
import { defaultNetworkSettings, type SandboxRecord } from "@opentiger/schema";
import { SandboxError } from "../../../errors.ts";
import { workerImageName } from "../../../image/name.ts";
import { creatorLives } from "../../../state/creator.ts";
import { withFileLock } from "../../../state/file-lock.ts";
import { refuseAborted } from "../create/cold.ts";
import { findImage } from "../image/image.ts";
import type { Place } from "../place.ts";
import { decide } from "../plan/decide.ts";
import { gitAuthor } from "../plan/git-author.ts";
import { nobody, type Plan } from "../plan/plan.ts";
import { poolKey } from "./key.ts";
import { noSupervisor, nothingYet, park } from "./park.ts";
import { drainPool, isPlain } from "./pool.ts";
import { poolEnvironment, readPoolSettings, type StoredPoolSettings } from "./settings.ts";
import { tokens } from "./tokens.ts";

/**
 * Makes the pool of this engine what the settings say: removes what nobody can adopt any more and what is too many,
 * and parks what is missing. The settings are read before each step, since somebody may change them meanwhile. Returns
 * how many were added.
 */
export async function keepPool(place: Place, signal?: AbortSignal): Promise<number> {
  let added = 0;
  for (;;) {
    refuseAborted(signal);
    const settings = readPoolSettings(place);
    if (settings.size === 0) {
      await trim(place, undefined, 0);
      return added;
    }
    const { plan, key } = await parkedPlan(place, settings);
    await trim(place, key, settings.size);
    if (!isMissing(place, key)) return added;
    added += await alone(place, signal, async () => {
      if (!isMissing(place, key)) return 0;
      await park(place, plan, { key, signal });
      return 1;
    });
  }
}

/** Also by what was asked for meanwhile. */
function isMissing(place: Place, key: string): boolean {
  return onOffer(place, key).length < readPoolSettings(place).size;
}

/** Of all processes that look after the pool one parks at a time, or two would do so for the same want. */
function alone<T>({ state }: Place, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  return withFileLock(join(state.folder, "pool.flock"), work, { code: "engine_unavailable", signal });
}

/** Removes what nobody can adopt any more and what is too many, and adds none; returns what they were called. */
export async function trimPool(place: Place): Promise<string[]> {
  // The engine is not asked where there is nothing to remove.
  if (!place.state.records.list().records.some((record) => isPlain(record, place.facts.id))) return [];
  const settings = readPoolSettings(place);
  return trim(place, settings.size === 0 ? undefined : await presentKey(place, settings), settings.size);
}

export interface PoolStatus {
  size: number;
  /** Those that a create would adopt now. */
  parked: number;
}

export async function poolStatus(place: Place): Promise<PoolStatus> {
  const settings = readPoolSettings(place);
  const key = settings.size === 0 ? undefined : await presentKey(place, settings);
  return { size: settings.size, parked: onOffer(place, key).length };
}

/** Of two processes that see one too many, both mean the same one. */
async function trim(place: Place, key: string | undefined, size: number): Promise<string[]> {
  const kept = new Set(onOffer(place, key).toSorted().slice(0, size));
  return drainPool(
    place,
    (record) => isPlain(record, place.facts.id) && !kept.has(record.id) && isOffered(record),
  );

  // One without a token is about to be offered by its maker.
  function isOffered(record: SandboxRecord): boolean {
    return tokens(place.state).some(({ id }) => id === record.id) || !creatorLives(record);
  }
}

function onOffer({ state }: Place, key: string | undefined): string[] {
  return tokens(state).flatMap((token) => (token.key === key && token.taker === undefined ? [token.id] : []));
}

/** undefined where none can be made any more: then nobody can adopt one either. */
async function presentKey(place: Place, settings: StoredPoolSettings): Promise<string | undefined> {
  try {
    return (await parkedPlan(place, settings)).key;
  } catch (error) {
    if (error instanceof SandboxError && ["image_missing", "unsupported"].includes(error.code))
      return undefined;
    throw error;
  }
}

/** As a clone of a repository of this user's would be planned, without the repository. */
async function parkedPlan(place: Place, settings: StoredPoolSettings): Promise<{ plan: Plan; key: string }> {
  const here: Place = { ...place, env: poolEnvironment(place, settings) };
  const reference = settings.image ?? workerImageName(here.env, here.warn);
  const [image, author] = await Promise.all([
    findImage(here.docker, reference, { pull: "never" }),
    gitAuthor(here.env),
  ]);
  const owner = nobody(here);
  const { limits, network: policy = "allow" } = settings;
  const decided = await decide(here, { kind: "clone", owner, image, author, limits, policy });
  const network = { ...defaultNetworkSettings, policy };
  const plan: Plan = { ...decided, ...nothingYet, network, agent: "shell" };
  const key = poolKey(here, plan);
  if (key === undefined) throw noSupervisor(plan);
  return { plan, key };
}
