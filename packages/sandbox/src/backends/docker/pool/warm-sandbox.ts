import type { SandboxRecord } from "@opentiger/schema";
import { creatorLives } from "../../../state/creator.ts";
import { isAbandoned } from "../create/claim.ts";
import { collectAbandoned } from "../discard.ts";
import type { Place } from "../place.ts";
import { isParkedName } from "./park.ts";
import { drainPool } from "./pool.ts";
import { tokens } from "./tokens.ts";

/** One that is parked with a clone in it, or what is left of one. */
export interface WarmSandbox {
  /** As `warmKey` says it of those that may adopt it; null where nobody can. */
  key: string | null;
  image: string;
}

/** Those that wait for whoever needs them, as the files of this instance say. The engine is not asked. */
export function warmSandboxes({ state }: Pick<Place, "state">): WarmSandbox[] {
  const keys = new Map(tokens(state).map(({ id, key }) => [id, key]));
  return state.records
    .list()
    .records.filter((record) => isWarm(record) || isLeftOver(record))
    .map(({ id, image }) => ({ key: keys.get(id) ?? null, image }));
}

/**
 * Removes those that are not kept, and what killed processes left of one that they were making; returns how many. One
 * that somebody is making or adopting is theirs.
 */
export async function coolUnless(place: Place, isKept: (sandbox: WarmSandbox) => boolean): Promise<number> {
  const { records } = place.state.records.list();
  const leftOver = records.filter((record) => record.engine === place.facts.id && isLeftOver(record));
  for (const record of leftOver) await collectAbandoned(place, record);
  const drained = await drainPool(place, (record) => {
    if (!isWarm(record)) return false;
    const token = tokens(place.state).find(({ id }) => id === record.id);
    if (token) return !isKept({ key: token.key, image: record.image });
    // Its maker is about to offer it.
    return !creatorLives(record);
  });
  return leftOver.length + drained.length;
}

function isWarm({ state, repository }: SandboxRecord): boolean {
  return state === "parked" && repository !== null;
}

function isLeftOver(record: SandboxRecord): boolean {
  return isParkedName(record.name) && isAbandoned(record);
}
