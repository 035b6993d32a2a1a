import { statusOf } from "./engine/errors.ts";
import { elsewhere } from "./inspect.ts";
import { findSandbox } from "./open.ts";
import type { Place } from "./place.ts";

/** Lets a sandbox go on that was paused. One that is not paused goes on anyway. */
export async function resumeSandbox(place: Place, name: string): Promise<void> {
  const record = findSandbox(place, name);
  if (record.engine !== place.facts.id) throw elsewhere(place, record);
  place.state.records.update(record.id, (latest) => ({ ...latest, paused: null }));
  try {
    await place.docker.getContainer(record.containerId).unpause();
  } catch (error) {
    // 409 and, from older engines, 500: it is not paused.
    if (statusOf(error) !== 409 && statusOf(error) !== 500) throw error;
  }
}
