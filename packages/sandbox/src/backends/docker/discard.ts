import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import { removeCarrierFolder } from "../../state/carrier-folder.ts";
import { removeSupervisor } from "../../state/supervisor-file.ts";
import { containerName } from "./container/name.ts";
import { closeWayOut } from "./container/way-out.ts";
import { answered } from "./engine/answered.ts";
import { sentenceOf, statusOf } from "./engine/errors.ts";
import { labels } from "./labels.ts";
import type { Place } from "./place.ts";

/** The engine answers a removal that is already under way with an error; it is over soon. */
const removalPatienceMs = 30_000;

/** An engine that has not answered a request to make a container after this has lost it. */
const createPatienceMs = 120_000;

type Discarding = Pick<Place, "docker" | "state" | "outward">;

/**
 * Removes everything of a sandbox: the container, the files, the record and the name. Interrupted at any point, it
 * can be done again, by anyone who finds the record: that goes last.
 */
export async function discard(place: Discarding, record: SandboxRecord): Promise<void> {
  if (record.state !== "removing") place.state.records.write({ ...record, state: "removing" });
  await removeContainer(place, record);
  await removeLeftovers(place, record);
  await removeOwnImage(place, record);
  await closeWayOut(place, record.id);
  forget(place, record);
}

/** What a container is called that is about to be replaced by another of the same sandbox. */
export function replacedName(record: SandboxRecord): string {
  return `${containerName(record)}-replaced`;
}

/** Removes what an interrupted replacement left: a container of this sandbox that its record does not name. */
export async function removeLeftovers(place: Discarding, record: SandboxRecord): Promise<void> {
  if (record.ownImage === undefined) return;
  for (const name of [containerName(record), replacedName(record)]) {
    const id = await findByName(place, record, name);
    if (id !== undefined && id !== record.containerId) await removeById(place.docker, id);
  }
}

/** One that somebody saved a template from is kept by that. */
async function removeOwnImage(place: Discarding, { ownImage }: SandboxRecord): Promise<void> {
  if (ownImage === undefined) return;
  try {
    await answered((abortSignal) => place.docker.getImage(ownImage).remove({ abortSignal }));
  } catch (error) {
    if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
  }
}

/**
 * Removes what a dead creator or an interrupted removal left. Where no container is known, a request for one may still
 * be on its way to the engine: the name is given free, and the record stays for a while to find it by.
 */
export async function collectAbandoned(place: Discarding, record: SandboxRecord): Promise<void> {
  const young = Date.now() - Date.parse(record.createdAt) < createPatienceMs;
  if (record.containerId !== null || !young) return discard(place, record);
  await removeContainer(place, record);
  removeFiles(place, record.id);
  place.state.records.releaseName(record.name, record.id);
}

/** Forgets a sandbox whose container is gone. */
export function forget(place: Pick<Place, "state">, record: Pick<SandboxRecord, "id" | "name">): void {
  removeFiles(place, record.id);
  place.state.records.drop(record);
}

function removeFiles({ state }: Pick<Place, "state">, id: string): void {
  removeCarrierFolder(state.folder, id);
  removeSupervisor(state.folder, id);
}

/**
 * Removes the container of a record and no other one. A creator that died between making it and writing down its id
 * is found by the name, which carries the random id of the sandbox and cannot be copied as labels can.
 */
async function removeContainer(place: Discarding, record: SandboxRecord): Promise<void> {
  const id = record.containerId ?? (await findByName(place, record, containerName(record)));
  if (id !== undefined) await removeById(place.docker, id);
}

async function findByName(
  place: Discarding,
  record: SandboxRecord,
  name: string,
): Promise<string | undefined> {
  try {
    const container = place.docker.getContainer(name);
    const { Id, Config } = await answered((abortSignal) => container.inspect({ abortSignal }));
    const ours =
      Config.Labels?.[labels.id] === record.id && Config.Labels?.[labels.instance] === place.state.instance;
    return ours ? Id : undefined;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

export async function removeById(docker: Docker, id: string): Promise<void> {
  const deadline = Date.now() + removalPatienceMs;
  for (;;) {
    try {
      const container = docker.getContainer(id);
      return await answered((abortSignal) => container.remove({ force: true, v: true, abortSignal }));
    } catch (error) {
      if (statusOf(error) === 404) return;
      const underWay = statusOf(error) === 409 && /removal .* in progress/i.test(sentenceOf(error));
      if (!underWay || Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}
