import {
  type ExecutionEnvironment,
  type NetworkPhase,
  type NetworkSettings,
  networkPhases,
  type Project,
} from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import type { Place } from "../place.ts";
import type { LoopRow } from "../state/loops.ts";
import { askedBeyond, phaseNetwork } from "./network.ts";

/** What a person should see of a project before anything of it is run. */
export interface ShownProject {
  image: string | null;
  /** Names only: a value may be more than somebody meant to show. */
  env: string[];
  /** null on the host, where nothing of the network is withheld from anybody. */
  network: Record<NetworkPhase, Pick<NetworkSettings, "policy" | "allowHosts" | "blockHosts">> | null;
  /** What its file asks of the network beyond the user's settings; nothing where there are no limits. */
  beyond: string[];
  /** The same in lines. */
  shown: string[];
}

type Told = Pick<Project, "image" | "env" | "network" | "sources">;

export function shownProject(
  place: Pick<Place, "config">,
  loop: Pick<LoopRow, "settings">,
  project: Told,
  environment: ExecutionEnvironment,
): ShownProject {
  const env = Object.keys(project.env);
  const { network, beyond, lines } = environment === "host" ? unlimited : limitsOf(place, loop, project);
  return {
    image: project.image,
    env,
    network,
    beyond,
    shown: [
      ...(project.image === null ? [] : [`image: ${project.image}`]),
      ...(env.length === 0 ? [] : [`variables: ${env.join(", ")}`]),
      ...lines,
    ],
  };
}

type Limits = Pick<ShownProject, "network" | "beyond"> & { lines: string[] };

const unlimited: Limits = {
  network: null,
  beyond: [],
  lines: ["network: all that you reach; on the host nothing is withheld"],
};

function limitsOf(place: Pick<Place, "config">, loop: Pick<LoopRow, "settings">, project: Told): Limits {
  const network = {
    setup: reached(phaseNetwork(place, loop, project, "setup")),
    run: reached(phaseNetwork(place, loop, project, "run")),
    verify: reached(phaseNetwork(place, loop, project, "verify")),
  };
  const beyond = beyondOf(place, loop, project);
  const answer = loop.settings.projectNetwork === "give" ? "given" : "withheld";
  return {
    network,
    beyond,
    lines: [
      ...networkPhases.map((phase) => `network of ${phase}: ${inWords(network[phase])}`),
      ...beyond.map((each) => `asked for by opentiger.json and ${answer}: ${each}`),
    ],
  };
}

/**
 * Throws `project_network` where the repository's file asks for more than the user's settings give, and the user has not
 * said what is to become of that. Before anything is run: a set-up has the network too.
 */
export function refuseUnanswered({ settings }: Pick<LoopRow, "settings">, beyond: readonly string[]): void {
  if (beyond.length === 0 || settings.projectNetwork !== undefined) return;
  throw new OrchestratorError(
    "project_network",
    `opentiger.json of this repository asks for more of the network than your settings give: ${beyond.join("; ")}. Nothing was run`,
    {
      remedy:
        "look at the file, and start the loop again with --project-network give (all of it) or withhold (none of it); " +
        "on the page and over HTTP it is a setting of the loop",
    },
  );
}

function reached({ policy, allowHosts, blockHosts }: NetworkSettings) {
  return { policy, allowHosts, blockHosts };
}

function inWords({ policy, allowHosts, blockHosts }: ReturnType<typeof reached>): string {
  const more = allowHosts.length === 0 ? "" : `, and ${allowHosts.join(", ")}`;
  return `${policy}${more}${blockHosts.length === 0 ? "" : `, without ${blockHosts.join(", ")}`}`;
}

function beyondOf(place: Pick<Place, "config">, loop: Pick<LoopRow, "settings">, project: Told): string[] {
  const phases = new Map<string, NetworkPhase[]>();
  for (const phase of networkPhases) {
    for (const each of askedBeyond(place, loop, project, phase)) {
      phases.set(each, [...(phases.get(each) ?? []), phase]);
    }
  }
  return [...phases].map(([each, of]) => `${each} while ${of.map((phase) => moments[phase]).join(", ")}`);
}

const moments: Record<NetworkPhase, string> = {
  setup: "it is set up",
  run: "agents work",
  verify: "checks run",
};
