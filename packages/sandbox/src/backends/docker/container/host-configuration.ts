import type { NetworkPolicy } from "@opentiger/schema";
import type Docker from "dockerode";
import { doorAddress, hostDoor } from "../../../protocol/doors.ts";
import { insidePaths } from "../../../protocol/paths.ts";
import { reservedUid } from "../../../supervisor/config.ts";
import type { EngineFacts } from "../engine/facts.ts";
import { insideTools } from "../image/root-tools.ts";
import type { Plan } from "../plan/plan.ts";
import type { SandboxFiles } from "./sandbox-files.ts";

/** Fewer victims than everybody else: commands raise their own score, so they go first. */
const guardOomScore = -500;

/** The rights, limits and mounts of a container: what keeps an agent in. */
export function hostConfiguration(facts: EngineFacts, plan: Plan, files: SandboxFiles): Docker.HostConfig {
  const { limits } = plan;
  const plainRuntime = plan.runtime === null || plan.runtime === "runc";
  return {
    NetworkMode: plan.networkMode,
    ...nameSettings(plan.network.policy),
    CapDrop: ["ALL"],
    CapAdd: capabilities(facts, plan),
    SecurityOpt: ["no-new-privileges", ...(facts.selinux && plan.kind === "direct" ? ["label=disable"] : [])],
    Init: true,
    IpcMode: "private",
    RestartPolicy: { Name: "no" },
    LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "1" } },
    ...(facts.holds.pids ? { PidsLimit: limits.pids } : {}),
    ...(facts.holds.memory ? { Memory: limits.memoryBytes, MemorySwap: limits.memoryBytes } : {}),
    ...(facts.holds.cpus ? { NanoCpus: Math.round(limits.cpus * 1e9) } : {}),
    ...(facts.ruledOomScore && plainRuntime ? { OomScoreAdj: guardOomScore } : {}),
    Ulimits: [
      { Name: "fsize", Soft: limits.fileBytes, Hard: limits.fileBytes },
      { Name: "core", Soft: 0, Hard: 0 },
    ],
    Tmpfs: { [insidePaths.run]: tmpfsOptions(plan) },
    Mounts: mounts(plan, files),
    ...(plan.runtime === null ? {} : { Runtime: plan.runtime }),
  };
}

/** A sandbox with an interface asks the engine's resolver, any other the supervisor. The host has one name in both. */
export function nameSettings(policy: NetworkPolicy): Docker.HostConfig {
  const hosts = { ExtraHosts: [`${hostDoor.name}:${hostDoor.address}`] };
  if (policy === "open") return { ...hosts, Dns: [], DnsSearch: [] };
  // The dot keeps the engine from copying the search list of the host, whose names mean nothing inside.
  return { ...hosts, Dns: [doorAddress], DnsSearch: ["."] };
}

/**
 * The supervisor changes to the agent's uid and groups, kills the agent's processes, and fixes their OOM score; where
 * the agent is root it empties their bounding set too. Commands get none of it.
 */
export function capabilities(facts: EngineFacts, plan: Plan): string[] {
  if (plan.carrier === "engine-exec") return [];
  const always = ["SETUID", "SETGID", "KILL"];
  const score = facts.ruledOomScore ? ["SYS_RESOURCE"] : [];
  return [...always, ...score, ...(plan.identity.isolation === "agent-root" ? ["SETPCAP"] : [])];
}

/** 0700 and the supervisor's: nothing below can be reached by the agent, not even the folder mounted there. */
function tmpfsOptions(plan: Plan): string {
  const owner = plan.identity.isolation === "agent-root" ? reservedUid : 0;
  return `mode=0700,uid=${owner},gid=${owner},size=1m,nosuid,nodev,noexec`;
}

function mounts(plan: Plan, files: SandboxFiles): Docker.MountSettings[] {
  const folders = plan.kind === "direct" ? [...plan.repositories, ...plan.workspaces] : [];
  const ours: [string | undefined, string][] = [
    [files.supervisor ?? undefined, insidePaths.supervisor],
    [files.carrier ?? undefined, insidePaths.carrier],
    [files.rootTools?.folder, insideTools],
    [files.emptyFile ?? undefined, "/etc/ld.so.preload"],
  ];
  return [
    ...folders.map(({ path, readOnly }) => bind({ Source: path, Target: path, ReadOnly: readOnly })),
    ...plan.mounts.map(({ source, target }) => bind({ Source: source, Target: target, ReadOnly: true })),
    ...ours.flatMap(([source, Target]) => (source ? [bind({ Source: source, Target, ReadOnly: true })] : [])),
  ];
}

/** As a mount and not in the short form: a source that is missing is an error then, and not made. */
function bind(mount: { Source: string; Target: string; ReadOnly: boolean }): Docker.MountSettings {
  return { Type: "bind", ...mount, BindOptions: { Propagation: "rprivate" } };
}
