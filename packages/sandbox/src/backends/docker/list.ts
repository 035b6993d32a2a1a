import { type SandboxRecord, type SandboxSummary, workspaceKind, workspaceMount } from "@opentiger/schema";
import type Docker from "dockerode";
import { z } from "zod";
import { nameWithin } from "./container/name.ts";
import { statusOfContainer, statusOfRecord } from "./container/status.ts";
import { isAbandoned } from "./create/claim.ts";
import { forget } from "./discard.ts";
import { answered } from "./engine/answered.ts";
import { labels } from "./labels.ts";
import type { Place } from "./place.ts";

/**
 * Every sandbox on this engine, from one question to it and our records. Ours are those that a record names; all
 * others are shown as somebody else's, whatever their labels say. A record whose container was removed by others
 * is dropped.
 */
export async function listSandboxes(
  place: Place,
  options: { parked?: "shown" } = {},
): Promise<SandboxSummary[]> {
  // The records first: the container of a finished one was there then, so if it is missing now, it was removed.
  const { records, unreadable } = place.state.records.list();
  for (const { error } of unreadable) place.warn(`${error.message}: its sandbox is shown as somebody else's`);
  const filters = { label: [`${labels.sandbox}=true`] };
  const containers = await answered((abortSignal) =>
    place.docker.listContainers({ all: true, filters, abortSignal }),
  );
  const byId = new Map(containers.map((container) => [container.Id, container]));
  const own = records.filter(({ engine }) => engine === place.facts.id);
  const summaries: SandboxSummary[] = [];
  for (const record of own) {
    const container = byId.get(record.containerId ?? "");
    if (container) byId.delete(container.Id);
    const finished = record.state === "adopted" || record.state === "parked";
    if (finished && !container) forget(place, record);
    else if (isShown(record, options)) summaries.push(ownSummary(record, container));
  }
  return [...summaries, ...[...byId.values()].map(foreignSummary)];
}

/** What a dead creator left is shown if there is something to remove, and else is nothing but a note for prune. */
function isShown(record: SandboxRecord, options: { parked?: "shown" }): boolean {
  if (record.state === "parked") return options.parked === "shown";
  return record.containerId !== null || !isAbandoned(record);
}

function ownSummary(record: SandboxRecord, container: Docker.ContainerInfo | undefined): SandboxSummary {
  const { name, id, agent, workspaceKind, workspaces, image, createdAt, network, paused } = record;
  const status = statusOfRecord(record, container?.State);
  return {
    name,
    id,
    agent,
    backend: "docker",
    status,
    workspaceKind,
    workspaces,
    image,
    createdAt,
    network: network.policy,
    ...(status === "paused" && paused ? { reason: paused.reason } : {}),
    own: true,
  };
}

function foreignSummary(container: Docker.ContainerInfo): SandboxSummary {
  const label = (name: string) => container.Labels[name] ?? "";
  const id = label(labels.id);
  return {
    name: nameWithin(container.Names[0] ?? "", id),
    id: id || container.Id.slice(0, 12),
    agent: label(labels.agent),
    backend: "docker",
    status: statusOfContainer(container.State),
    workspaceKind: workspaceKind.catch("direct").parse(label(labels.workspaceKind)),
    workspaces: foreignWorkspaces(label(labels.workspaces), label(labels.workingDirectory)),
    image: label(labels.image) || container.Image,
    createdAt: new Date(container.Created * 1000).toISOString(),
    // Which of the other policies it has only its own instance knows.
    network: container.HostConfig.NetworkMode === "none" ? null : "open",
    own: false,
  };
}

/** Written by another program, or by hand: what does not parse is taken for the one working directory. */
function foreignWorkspaces(text: string, workingDirectory: string): SandboxSummary["workspaces"] {
  try {
    return z.array(workspaceMount).parse(JSON.parse(text));
  } catch {
    return workingDirectory === "" ? [] : [{ path: workingDirectory, readOnly: false }];
  }
}
