import type { SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import { z } from "zod";
import { SandboxError } from "../../errors.ts";
import { checkName } from "../../names.ts";
import { carrierFolder } from "../../state/carrier-folder.ts";
import { statusOfRecord } from "./container/status.ts";
import { forget } from "./discard.ts";
import { statusOf } from "./engine/errors.ts";
import { notFound } from "./open.ts";
import type { Place } from "./place.ts";
import { weaknessOf } from "./plan/weakness.ts";

/** Everything known about a sandbox, except the values of its environment: those may be anybody's secrets. */
export async function inspectSandbox(place: Place, name: string): Promise<Record<string, unknown>> {
  const record = place.state.records.findByName(checkName(name));
  if (!record || record.state === "parked") throw notFound(name);
  if (record.engine !== place.facts.id) throw elsewhere(place, record);
  const container = await find(place, record);
  return {
    name: record.name,
    id: record.id,
    agent: record.agent,
    backend: "docker",
    status: statusOfRecord(record, container?.State.Status),
    workspaceKind: record.workspaceKind,
    workspaces: record.workspaces,
    mounts: record.mounts ?? [],
    repository: record.repository,
    image: record.image,
    createdAt: record.createdAt,
    carrier: record.carrier,
    carrierFolder: record.carrier === "socket" ? carrierFolder(place.state.folder, record.id) : null,
    isolation: record.isolation,
    weakness: weaknessOf(record) ?? null,
    user: record.user,
    network: record.network,
    instance: place.state.instance,
    engine: { address: place.engine.address, version: place.facts.version, location: place.facts.location },
    container: container ? describe(container) : null,
  };
}

async function find(place: Place, record: SandboxRecord): Promise<Docker.ContainerInspectInfo | undefined> {
  if (record.containerId === null) return undefined;
  try {
    return await place.docker.getContainer(record.containerId).inspect();
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    if (record.state !== "adopted") return undefined;
    forget(place, record);
    throw notFound(record.name);
  }
}

function describe({
  Id,
  Name,
  Image,
  State,
  Created,
  HostConfig,
  Mounts,
  Config,
}: Docker.ContainerInspectInfo) {
  return {
    id: Id,
    name: Name.replace(/^\//, ""),
    image: Image,
    created: Created,
    startedAt: State.StartedAt,
    finishedAt: State.Running ? null : State.FinishedAt,
    exitCode: State.Running ? null : State.ExitCode,
    oomKilled: State.OOMKilled,
    pid: State.Pid,
    network: HostConfig.NetworkMode ?? null,
    runtime: HostConfig.Runtime ?? null,
    capabilities: HostConfig.CapAdd ?? [],
    securityOptions: HostConfig.SecurityOpt ?? [],
    limits: {
      memoryBytes: HostConfig.Memory ?? 0,
      cpus: (HostConfig.NanoCpus ?? 0) / 1e9,
      pids: HostConfig.PidsLimit ?? 0,
      fileBytes: fileLimit(HostConfig.Ulimits),
    },
    mounts: Mounts.map(({ Source, Destination, RW }) => ({
      source: Source,
      target: Destination,
      readOnly: !RW,
    })),
    labels: Config.Labels,
  };
}

/** The engine's list has a shape that the library leaves open. */
function fileLimit(ulimits: unknown): number | null {
  const parsed = z.array(z.object({ Name: z.string(), Hard: z.number() })).safeParse(ulimits);
  return parsed.data?.find(({ Name }) => Name === "fsize")?.Hard ?? null;
}

export function elsewhere(place: Place, record: SandboxRecord): SandboxError {
  return new SandboxError(
    "not_found",
    `${record.name} was made on another Docker engine than ${place.engine.address}`,
    {
      remedy: "choose that engine with --context or DOCKER_HOST",
    },
  );
}
