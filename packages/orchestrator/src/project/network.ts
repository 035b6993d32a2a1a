import { applyChange, publicRule, ruleReach } from "@opentiger/sandboxd";
import {
  defaultNetworkSettings,
  type NetworkPhase,
  type NetworkPolicy,
  type NetworkSettings,
  type Project,
} from "@opentiger/schema";
import type { Place } from "../place.ts";
import type { LoopRow } from "../state/loops.ts";
import { isWider, usersPolicy } from "./users-policy.ts";
import { variablePorts } from "./variable-ports.ts";

type Said = Pick<LoopRow, "settings">;
/** `env` where a sandbox is made: ports that are closed there stay closed, whatever phase it is in later. */
export type NetworkOfProject = Pick<Project, "network" | "sources"> & Partial<Pick<Project, "env">>;

/**
 * What a sandbox of this phase may reach. The repository's file narrows what the user's settings give, and adds public
 * hosts where those are not `deny`; whatever else it asks for, it has only by the user's word for this loop. So a
 * repository opens nothing that its user has closed, and nothing of the user's machine.
 */
export function phaseNetwork(
  place: Pick<Place, "config">,
  loop: Said,
  project: NetworkOfProject,
  phase: NetworkPhase,
): NetworkSettings {
  return settled(place, loop, project, phase).network;
}

/** What the file asks for in this phase that goes beyond the user's settings, in words; whether it is given or not. */
export function askedBeyond(
  place: Pick<Place, "config">,
  loop: Said,
  project: NetworkOfProject,
  phase: NetworkPhase,
): string[] {
  return settled(place, loop, project, phase).beyond;
}

/** Whether two phases may reach the same, so that a sandbox of one shows what one of the other would. */
export function reachTheSame(
  place: Pick<Place, "config">,
  { loop, project }: { loop: Said; project: NetworkOfProject },
  one: NetworkPhase,
  other: NetworkPhase,
): boolean {
  const [first, second] = [one, other].map((phase) => phaseNetwork(place, loop, project, phase));
  return JSON.stringify(first) === JSON.stringify(second);
}

interface Settled {
  network: NetworkSettings;
  beyond: string[];
}

function settled(
  place: Pick<Place, "config">,
  loop: Said,
  project: NetworkOfProject,
  phase: NetworkPhase,
): Settled {
  const { policy: users, isFixed } = usersPolicy(place, loop, project, phase);
  const isFiles = project.sources.network === "file";
  const isGiven = loop.settings.projectNetwork === "give";
  const asked = project.network[phase];
  const wanted = (isFiles && !isFixed ? asked.policy : null) ?? users;
  const policyBeyond = isWider(wanted, users);
  const hostsBeyond = isFiles ? asked.allow.filter((host) => isBeyond(host, users)) : [];
  const hosts = isGiven ? asked.allow : asked.allow.filter((host) => !hostsBeyond.includes(host));
  const ports = variablePorts(project, hosts);
  const network = applyChange(defaultNetworkSettings, {
    policy: policyBeyond && !isGiven ? users : wanted,
    allowHost: isFiles && !isGiven ? hosts.map(publicRule) : hosts,
    // A URL in a variable opens its port, unless a rule says otherwise.
    blockHost: isGiven ? [] : ports.map(({ rule }) => rule),
  });
  return {
    network,
    beyond: [
      ...(policyBeyond ? [`the policy ${wanted}`] : []),
      ...hostsBeyond,
      ...ports.map(({ rule, names }) => `${rule} (by ${names.join(", ")})`),
    ],
  };
}

/** Whether a host that the file names is more than its user gives. */
function isBeyond(host: string, users: NetworkPolicy): boolean {
  const reach = ruleReach(host);
  if (users === "deny" || reach === "machine" || reach === "private") return true;
  return users === "balanced" && reach !== "host";
}
