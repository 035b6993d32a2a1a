import type { SandboxRecord } from "@opentiger/schema";
import { SandboxError } from "../../errors.ts";
import { checkName } from "../../names.ts";
import type { RemoveOptions } from "../../sandbox.ts";
import { creatorLives } from "../../state/creator.ts";
import { refuseUnfetched } from "../../workspace/refuse-unfetched.ts";
import { discard } from "./discard.ts";
import { elsewhere } from "./inspect.ts";
import { notFound, openSandbox } from "./open.ts";
import type { Place } from "./place.ts";

/** Removes a sandbox, finished, broken or half removed. Commits in a clone that are nowhere else stop it first. */
export async function removeSandbox(place: Place, name: string, options: RemoveOptions): Promise<void> {
  const record = place.state.records.findByName(checkName(name));
  if (!record || record.state === "parked") throw notFound(name);
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

function unfinished(record: SandboxRecord): SandboxError {
  return new SandboxError(
    "sandbox_broken",
    `${record.name} is still being created, by process ${record.creatorPid}`,
    { remedy: "wait until that is finished, or end that process" },
  );
}
