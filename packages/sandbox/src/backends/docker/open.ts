import type { SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import { SandboxError } from "../../errors.ts";
import { checkName } from "../../names.ts";
import type { OpenOptions, Sandbox } from "../../sandbox.ts";
import type { Session } from "../../session/session.ts";
import { ensureCarrierFolder } from "../../state/carrier-folder.ts";
import { creatorLives, unfinished } from "../../state/creator.ts";
import { placeSupervisor } from "../../state/supervisor-file.ts";
import { stillStopped } from "../stopped.ts";
import { mountedFolders, recheckMounts } from "./container/mounted-folders.ts";
import { reachSupervisor, startAndReach } from "./container/reach.ts";
import { tellSettings } from "./container/settings.ts";
import { copySupervisorIn } from "./container/supervisor-archive.ts";
import { verifyMounts, verifyMountsOutside } from "./container/verify-mounts.ts";
import { closeWayOut, openWayOut } from "./container/way-out.ts";
import { forget } from "./discard.ts";
import { dockerSandbox } from "./docker-sandbox.ts";
import { statusOf } from "./engine/errors.ts";
import { engineExecSandbox } from "./engine-exec/engine-exec-sandbox.ts";
import type { Place } from "./place.ts";

type Opening = Omit<Place, "facts">;

/** The record of a finished sandbox of this instance. */
export function findSandbox(
  place: Pick<Place, "state">,
  name: string,
): SandboxRecord & { containerId: string } {
  const record = place.state.records.findByName(checkName(name));
  if (record?.state === "creating" && creatorLives(record)) throw unfinished(record);
  const { containerId } = record ?? {};
  if (record?.state !== "adopted" || !containerId) throw notFound(name);
  return { ...record, containerId };
}

/**
 * A session with a sandbox, which is started if it does not run. A running one answers without the engine being
 * asked: the question is put to both at once, and the engine's answer matters only where the supervisor is silent.
 */
export async function openSandbox(
  place: Opening,
  name: string,
  { stopped }: OpenOptions = {},
): Promise<Sandbox> {
  const record = findSandbox(place, name);
  refusePaused(record);
  const container = place.docker.getContainer(record.containerId);
  // Whoever holds the way out may have been killed: it is there again before the next command.
  await place.outward?.prepare().catch((error: unknown) => place.warn(`no network: ${String(error)}`));
  // Its supervisor would answer whichever engine is meant; only one of them has the sandbox.
  if (record.engineAddress !== place.engine.address) await inspect(place, record, container);
  if (record.carrier === "engine-exec") {
    const { State } = await inspect(place, record, container);
    if (stopped && !State.Running) throw stillStopped(name);
    await startIfNeeded(place, record, container);
    return engineExecSandbox(record, container);
  }
  const session = await reachRunning(place, record, container);
  if (stopped && !session) throw stillStopped(name);
  return dockerSandbox(record, place.engine, session ?? (await restart(place, record, container)));
}

/** Paused by us for a reason, it goes on only when somebody has seen that reason. */
function refusePaused({ name, paused }: SandboxRecord): void {
  if (!paused) return;
  throw new SandboxError("disk_full", `${name} is paused: ${paused.reason}`, {
    remedy: `free some space, then: docker sandbox resume ${name}`,
  });
}

export function notFound(name: string): SandboxError {
  return new SandboxError("not_found", `there is no sandbox called ${name}`, {
    remedy: "see `docker sandbox ls`",
  });
}

/** undefined when it turns out not to be running. */
async function reachRunning(
  place: Opening,
  record: SandboxRecord & { containerId: string },
  container: Docker.Container,
): Promise<Session | undefined> {
  const stop = new AbortController();
  const reachable = { docker: place.docker, stateFolder: place.state.folder, record, signal: stop.signal };
  const reached = reachSupervisor(reachable, record.containerId);
  const silent = notRunning(place, record, container, stop.signal);
  try {
    const session = await Promise.race([reached, silent]);
    if (session === undefined)
      reached.then(
        (late) => late.close(),
        () => {},
      );
    return session;
  } catch (error) {
    reached.then(
      (late) => late.close(),
      () => {},
    );
    throw error;
  } finally {
    stop.abort();
  }
}

/** Settles only when the sandbox does not run, or is gone; then nobody will answer. */
async function notRunning(
  place: Opening,
  record: SandboxRecord,
  container: Docker.Container,
  signal: AbortSignal,
): Promise<undefined> {
  const { State } = await inspect(place, record, container, signal);
  if (State.Running && !State.Paused) await ended(container, signal);
  return undefined;
}

/** One that is just ending is still called running: it is started again then, and not waited for in vain. */
async function ended(container: Docker.Container, abortSignal: AbortSignal): Promise<void> {
  try {
    await container.wait({ condition: "not-running", abortSignal });
  } catch (error) {
    if (!abortSignal.aborted) throw error;
  }
}

/** What is not as it should be is stopped again before any command runs in it. */
async function restart(place: Opening, record: SandboxRecord, container: Docker.Container): Promise<Session> {
  const reachable = { docker: place.docker, stateFolder: place.state.folder, record };
  const found = await inspect(place, record, container);
  if (found.State.Paused) {
    await container.unpause();
    return reachSupervisor(reachable, container.id);
  }
  recheckMounts(place, found, record);
  if (record.carrier === "socket") {
    ensureCarrierFolder(place.state.folder, record.id);
    placeSupervisor(place.state.folder, record.id);
  } else {
    await copySupervisorIn(container);
  }
  const session = await startAndReach(reachable, container);
  try {
    if (record.carrier === "socket") await verifyMounts(session, mountedFolders(found, record));
    else await verifyMountsOutside(place, container, mountedFolders(found, record));
    await tellSettings(session, record);
    await openWayOut(place, record, session);
  } catch (error) {
    await session.close();
    await container.kill();
    await closeWayOut(place, record.id);
    throw error;
  }
  return session;
}

async function startIfNeeded(
  place: Opening,
  record: SandboxRecord,
  container: Docker.Container,
): Promise<void> {
  const found = await inspect(place, record, container);
  if (found.State.Paused) return void (await container.unpause());
  if (found.State.Running) return;
  recheckMounts(place, found, record);
  await container.start();
  try {
    await verifyMountsOutside(place, container, mountedFolders(found, record));
  } catch (error) {
    await container.kill();
    throw error;
  }
}

async function inspect(
  place: Opening,
  record: SandboxRecord,
  container: Docker.Container,
  abortSignal?: AbortSignal,
): Promise<Docker.ContainerInspectInfo> {
  try {
    return await container.inspect(abortSignal ? { abortSignal } : {});
  } catch (error) {
    // Nobody waits for the answer any more.
    if (abortSignal?.aborted) return new Promise(() => {});
    if (statusOf(error) === 404) throw await gone(place, record);
    throw error;
  }
}

/** Somebody removed the container. On this engine it is gone for good; on another it may well be there. */
async function gone(place: Opening, record: SandboxRecord): Promise<SandboxError> {
  const { id } = await place.engine.facts();
  if (id === record.engine) {
    forget(place, record);
    return notFound(record.name);
  }
  return new SandboxError(
    "not_found",
    `${record.name} was made on another Docker engine than ${place.engine.address}`,
    {
      remedy: "choose that engine with --context or DOCKER_HOST",
    },
  );
}
