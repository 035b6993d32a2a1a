import { imageReference } from "../../../image/name.ts";
import type { CreateOptions } from "../../../sandbox.ts";
import { refuseAborted } from "../create/cold.ts";
import { fillClone } from "../create/fill-clone.ts";
import type { Place } from "../place.ts";
import { type Plan, planSandbox } from "../plan/plan.ts";
import { cloneOf, poolKey } from "./key.ts";
import { noSupervisor, park } from "./park.ts";
import { drainPool } from "./pool.ts";
import { tokens } from "./tokens.ts";

/** As the sandboxes will be created that are to adopt them; those may start at another commit. */
export type WarmOptions = Pick<
  CreateOptions,
  "workspaces" | "repository" | "commit" | "limits" | "network" | "signal"
> & {
  /** Best a saved clone sandbox of the same workspace: what its set-up made is there then. */
  image: string;
  /** How many are to be parked. */
  count: number;
};

/**
 * Parks clone sandboxes of an image until there are as many as asked for, each with its clone already at the commit, so
 * that whoever adopts one waits for the difference only. Returns how many were added.
 */
export async function warmPool(place: Place, { count, ...wanted }: WarmOptions): Promise<number> {
  const options = creation(wanted);
  const { plan, key } = await planned(place, options);
  const clone = cloneOf(plan);
  let added = 0;
  while (tokens(place.state).filter((token) => token.key === key).length < count) {
    refuseAborted(wanted.signal);
    await park(place, plan, {
      key,
      signal: wanted.signal,
      ...(clone ? { fill: (sandbox) => fillClone(sandbox, plan, options) } : {}),
    });
    added += 1;
  }
  return added;
}

/** By which those that would be parked are known. It changes with the image, the engine and this program. */
export async function warmKey(place: Place, wanted: Omit<WarmOptions, "count">): Promise<string> {
  return (await planned(place, creation(wanted))).key;
}

function creation(wanted: Omit<WarmOptions, "count">): CreateOptions {
  return { ...wanted, agent: "shell", workspaceKind: "clone", pull: "never" };
}

async function planned(place: Place, options: CreateOptions): Promise<{ plan: Plan; key: string }> {
  const plan = await planSandbox(place, Promise.resolve(place.facts), options);
  const key = poolKey(place, plan, cloneOf(plan));
  if (key === undefined) throw noSupervisor(plan);
  return { plan, key };
}

/** Removes the parked sandboxes of an image; returns how many there were. */
export async function coolPool(place: Place, image: string): Promise<number> {
  const reference = imageReference(image, place.warn);
  return (await drainPool(place, (record) => record.image === reference)).length;
}
