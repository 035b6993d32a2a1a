import type { SandboxRecord } from "@opentiger/schema";
import { discard } from "../discard.ts";
import type { Place } from "../place.ts";
import { takeToken, tokens, withdraw } from "./tokens.ts";

/** Whether it is one of the user's pool on that engine: those that hold a clone already were asked for by others. */
export function isPlain({ state, repository, engine }: SandboxRecord, engineId: string): boolean {
  return state === "parked" && !repository && engine === engineId;
}

/** Removes the parked sandboxes of this engine, or those of them that are meant; returns what they were called. */
export async function drainPool(
  place: Place,
  isMeant: (record: SandboxRecord) => boolean = () => true,
): Promise<string[]> {
  const drained: string[] = [];
  for (const record of place.state.records.list().records) {
    if (record.state !== "parked" || record.engine !== place.facts.id) continue;
    if (!isMeant(record) || isBeingTaken(place, record)) continue;
    withdraw(place.state, record.id);
    await discard(place, record);
    drained.push(record.name);
  }
  return drained;
}

/** Whoever is adopting it has it. Its token goes only when the record says so; before that, without one nobody has it. */
function isBeingTaken({ state }: Place, { id }: SandboxRecord): boolean {
  const token = tokens(state).find((candidate) => candidate.id === id);
  if (token) return !takeToken(state, token) && token.taker !== process.pid;
  return state.records.read(id)?.state !== "parked";
}
