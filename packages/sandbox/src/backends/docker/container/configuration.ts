import type { NetworkPolicy, SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import type { DoorKind } from "../../../protocol/doors.ts";
import { insidePaths, supervisorConfigVariable } from "../../../protocol/paths.ts";
import { reservedUid, type SupervisorConfig } from "../../../supervisor/config.ts";
import type { EngineFacts } from "../engine/facts.ts";
import { labels } from "../labels.ts";
import type { Place } from "../place.ts";
import { splitEnvironment } from "../plan/environment.ts";
import type { Plan } from "../plan/plan.ts";
import { capabilities, hostConfiguration } from "./host-configuration.ts";
import { containerName, hostName } from "./name.ts";
import type { SandboxFiles } from "./sandbox-files.ts";

/** A small heap: the supervisor holds nothing but spools, and those are bounded. */
const nodeFlags = ["--max-old-space-size=96", "--max-semi-space-size=1"];

/** What a container without a supervisor does: nothing, until it is stopped. */
const idle = ["/bin/sh", "-c", "sleep infinity & wait $! || exec tail -f /dev/null"];

export function containerConfiguration(
  place: Place,
  record: SandboxRecord,
  plan: Plan,
  files: SandboxFiles,
): Docker.ContainerCreateOptions {
  const environment = splitEnvironment(plan.image.env);
  const supervised = record.carrier !== "engine-exec";
  const config: SupervisorConfig = {
    isolation: plan.identity.isolation,
    agentUid: plan.identity.uid,
    agentGid: plan.identity.gid,
    home: plan.home,
    workDir: plan.workspaces[0]?.path ?? plan.home,
    carrierDir: record.carrier === "socket" ? insidePaths.carrier : null,
    controlSocket: insidePaths.control,
    prepare: {
      home: plan.home,
      ...plan.author,
      ownedFolders: plan.kind === "clone" ? plan.workspaces.map(({ path }) => path) : [],
    },
    setpriv: files.rootTools?.setpriv ?? [plan.tools.setpriv ?? "setpriv"],
    env: environment.commands,
    doors: doorsUnder(plan.network.policy),
  };
  return {
    name: containerName(record),
    Image: plan.image.id,
    // A host keeps its name for life, and one that is parked has none yet.
    Hostname: plan.workspaces.length > 0 ? hostName(record.name) : "sandbox",
    User: "0:0",
    WorkingDir: "/",
    Env: supervised
      ? [...environment.container, `${supervisorConfigVariable}=${JSON.stringify(config)}`]
      : [],
    // An empty string clears the image's entrypoint; `save` can then restore that one, or its absence.
    Entrypoint: [""],
    Cmd: supervised ? supervisorCommand(place.facts, plan, files) : idle,
    Labels: containerLabels(place, record, plan),
    StopTimeout: 1,
    HostConfig: hostConfiguration(place.facts, plan, files),
  };
}

/** An open sandbox has its own way to everything but the host. */
export function doorsUnder(policy: NetworkPolicy): DoorKind {
  return policy === "open" ? "gateway" : "all";
}

function supervisorCommand(facts: EngineFacts, plan: Plan, files: SandboxFiles): string[] {
  const serve = [...nodeFlags, insidePaths.supervisor, "serve"];
  if (plan.identity.isolation !== "agent-root" || !files.rootTools)
    return [plan.tools.node ?? "node", ...serve];
  const kept = capabilities(facts, plan)
    .map((name) => `+${name.toLowerCase()}`)
    .join(",");
  return [
    ...files.rootTools.setpriv,
    `--reuid=${reservedUid}`,
    `--regid=${reservedUid}`,
    "--clear-groups",
    `--inh-caps=${kept}`,
    `--ambient-caps=${kept}`,
    "--no-new-privs",
    "--",
    ...files.rootTools.node,
    ...serve,
  ];
}

function containerLabels(place: Place, record: SandboxRecord, plan: Plan): Record<string, string> {
  return {
    ...plan.labels,
    [labels.sandbox]: "true",
    [labels.agent]: record.agent,
    [labels.workingDirectory]: plan.workspaces[0]?.path ?? "",
    [labels.instance]: place.state.instance,
    [labels.owner]: String(process.getuid?.() ?? ""),
    [labels.id]: record.id,
    [labels.name]: record.name,
    [labels.workspaceKind]: record.workspaceKind,
    [labels.workspaces]: JSON.stringify(record.workspaces),
    [labels.image]: record.image,
    [labels.isolation]: record.isolation,
    [labels.created]: record.createdAt,
  };
}
