import type { SandboxRecord } from "@opentiger/schema";
import { SandboxError } from "../../../errors.ts";
import { checkName, defaultNames } from "../../../names.ts";
import { creatorLives } from "../../../state/creator.ts";
import { collectAbandoned } from "../discard.ts";
import type { Place } from "../place.ts";

/**
 * Gives a record the name that was asked for, or the first default one that is free, and writes it. Of two creators
 * of one name, in whatever processes, exactly one gets it.
 */
export async function claimName(
  place: Place,
  record: SandboxRecord,
  wanted: { name: string | undefined; agent: string; workspace: string },
): Promise<SandboxRecord> {
  for (const name of wanted.name === undefined
    ? defaultNames(wanted.agent, wanted.workspace)
    : [wanted.name]) {
    const named = { ...record, name: checkName(name) };
    // First the record: a claim always leads to one.
    place.state.records.write(named);
    if (await claim(place, named)) return named;
  }
  throw taken(wanted.name ?? wanted.workspace);
}

/** Refuses a name that is taken before any work is done; whether it stays free is decided by the claim. */
export function refuseTaken(place: Pick<Place, "state">, name: string | undefined): void {
  if (name === undefined) return;
  const holder = place.state.records.findByName(checkName(name));
  if (holder && !isAbandoned(holder)) throw taken(name);
}

/** What a dead creator or an interrupted removal left: nobody is going to finish it. */
export function isAbandoned(record: SandboxRecord): boolean {
  return record.state === "removing" || (record.state === "creating" && !creatorLives(record));
}

async function claim(place: Place, record: SandboxRecord): Promise<boolean> {
  const { records } = place.state;
  if (records.claimName(record.name, record.id)) return true;
  const holder = records.holderOf(record.name);
  if (holder === undefined) return records.claimName(record.name, record.id);
  const found = records.read(holder);
  if (!found) records.releaseName(record.name, holder);
  else if (found.engine === place.facts.id && isAbandoned(found)) await collectAbandoned(place, found);
  else return false;
  return records.claimName(record.name, record.id);
}

function taken(name: string): SandboxError {
  return new SandboxError("already_exists", `there is already a sandbox called ${name}`, {
    remedy: `use it, choose another --name, or remove it: docker sandbox rm ${name}`,
  });
}
