import type { Sandbox } from "@opentiger/sandbox";
import type { NetworkChangeRequest } from "@opentiger/sandboxd";
import {
  type ExecutionEnvironment,
  type NetworkSettings,
  networkSettings,
  type Project,
} from "@opentiger/schema";
import type { Place } from "../place.ts";
import { phaseNetwork, reachTheSame } from "../project/network.ts";
import { setupIn } from "../project/setup.ts";
import { setupAt } from "../project/setup-at.ts";
import type { LoopRow } from "../state/loops.ts";
import type { Judging } from "./judging.ts";

interface Asked {
  place: Pick<Place, "config">;
  environment: ExecutionEnvironment;
  loop: Pick<LoopRow, "settings">;
  project: Pick<Project, "network" | "sources">;
}

/**
 * Does the project's set-up once more, in a sandbox of the judge's whose candidate has changed a lock file. It reaches what
 * a set-up may reach, and afterwards what checks may. Nothing of it is kept for others to start from.
 */
export async function setUpAgain(
  judging: Judging,
  sandbox: Sandbox,
  { commit, execId }: { commit: string; execId: string },
): Promise<void> {
  const { place, project, repository, signal, redact, say } = judging;
  const timeoutMs = place.config.get("OPENTIGER_SETUP_TIMEOUT");
  const { during, after } = networksOf(judging);
  const isChanged = isOther(judging) && !isStuck(judging);
  if (isChanged)
    await changeNetwork(judging, sandbox, { policy: during.policy, allowHost: during.allowHosts });
  for (const note of setUpNotes(judging)) say(note);
  const setup = await setupAt(repository, project, commit);
  await setupIn(sandbox, { ...project, setup }, { timeoutMs, execId, signal, say, redact });
  if (!isChanged) return;
  const blockHost = during.allowHosts.filter((host) => !after.allowHosts.includes(host));
  await changeNetwork(judging, sandbox, { policy: after.policy, blockHost });
}

/** What is to be known of it: where it could not have the network of its own phase. */
export function setUpNotes(asked: Asked): string[] {
  if (!isOther(asked) || !isStuck(asked)) return [];
  const { during, after } = networksOf(asked);
  return [
    `it was set up again with the network of the checks (${after.policy}) and not with that of the set-up (${during.policy}): what is open stays open, and what is not cannot become so`,
  ];
}

function networksOf({ place, loop, project }: Asked): { during: NetworkSettings; after: NetworkSettings } {
  return {
    during: phaseNetwork(place, loop, project, "setup"),
    after: phaseNetwork(place, loop, project, "verify"),
  };
}

/** On the host nobody is kept from anything. */
function isOther(asked: Asked): boolean {
  return asked.environment !== "host" && !reachTheSame(asked.place, asked, "setup", "verify");
}

/** A sandbox of the policy open has another kind of network, which stays what it is. */
function isStuck(asked: Asked): boolean {
  const { during, after } = networksOf(asked);
  return during.policy === "open" || after.policy === "open";
}

async function changeNetwork(
  { place: { sandboxd } }: Judging,
  { name }: Sandbox,
  body: NetworkChangeRequest,
): Promise<void> {
  const path = `/sandboxes/${encodeURIComponent(name)}/network`;
  await sandboxd.ask({ method: "POST", path, body }, networkSettings);
}
