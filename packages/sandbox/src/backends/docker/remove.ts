import { checkName } from "../../names.ts";
import type { RemoveOptions } from "../../sandbox.ts";
import { creatorLives, unfinished } from "../../state/creator.ts";
import { refuseUnfetched } from "../../workspace/refuse-unfetched.ts";
import { discard } from "./discard.ts";
import { elsewhere } from "./inspect.ts";
import { notFound, openSandbox } from "./open.ts";
import type { Place } from "./place.ts";

/** Removes a sandbox, finished, broken or half removed. Commits in a clone that are nowhere else stop it first. */
export async function removeSandbox(place: Place, name: string, options: RemoveOptions): Promise<void> {
  const record = place.state.records.findByName(checkName(name));
  if (!record || record.state === "parked") throw notFound(name);
  if (options.id !== undefined && record.id !== options.id) throw notFound(name);
  if (record.engine !== place.facts.id) throw elsewhere(place, record);
  if (record.state === "creating" && creatorLives(record)) throw unfinished(record);
  const { repository } = record;
  if (record.state === "adopted" && repository && !options.force) {
    await refuseUnfetched({
      name: record.name,
      repository,
      path: repository.path,
      open: () => openSandbox(place, record.name),
    });
  }
  await discard(place, record);
}
