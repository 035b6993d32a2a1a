import { readdirSync } from "node:fs";
import { join } from "node:path";
import { abandonedInstances } from "@opentiger/orchestrator";
import { connectDocker, openState } from "@opentiger/sandbox";
import { type Check, type Finding, ok, warn } from "./check.ts";
import type { Ward } from "./ward.ts";

/** What crashed creates, half-done removals and removed state folders left. */
export const leftoversCheck: Check = {
  name: "leftovers",
  async look(ward) {
    const findings = [...(await strays(ward)), ...abandoned()];
    return findings.length > 0 ? findings : [ok("none")];
  },
};

/** Records without their container, and what was to be thrown away and is still there. */
async function strays(ward: Ward): Promise<Finding[]> {
  if (!(await ward.reachable())) return [];
  const { docker } = ward.engine;
  const { id } = await ward.facts();
  const state = openState(ward.folder);
  const containers = new Set((await docker.listContainers({ all: true })).map((each) => each.Id));
  const lost = state.records
    .list()
    .records.filter(
      ({ engine, state: kept, containerId }) =>
        engine === id && kept !== "creating" && !containers.has(containerId ?? ""),
    );
  const notes = throwaways(ward.folder);
  const count = lost.length + notes.length;
  if (count === 0) return [];
  const message = `${count} ${count === 1 ? "thing" : "things"} of crashed commands are left`;
  return [warn(message, "opentiger sandbox prune", prune)];
}

async function prune({ env }: Ward): Promise<string> {
  const collected = await (await connectDocker({ env, warn: () => {} })).prune();
  return collected.length === 0 ? "pruned" : `pruned ${collected.join(", ")}`;
}

function throwaways(folder: string): string[] {
  try {
    return readdirSync(join(folder, "throwaways"));
  } catch {
    return [];
  }
}

/** Never by itself: a state folder on a disk that is not mounted right now looks the same. */
function abandoned(): Finding[] {
  const folders = abandonedInstances();
  if (folders.length === 0) return [];
  const message = `databases of instances whose state folders are gone: ${folders.length}`;
  return [warn(message, `if those folders do not come back: rm -r ${folders.join(" ")}`)];
}
