import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { FolderMount, SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import { SandboxError } from "../../../errors.ts";
import type { Session } from "../../../session/session.ts";
import { ensureCarrierFolder } from "../../../state/carrier-folder.ts";
import { placeSupervisor } from "../../../state/supervisor-file.ts";
import type { PresentClone } from "../../../workspace/clone.ts";
import { containerConfiguration } from "../container/configuration.ts";
import { startAndReach } from "../container/reach.ts";
import type { SandboxFiles } from "../container/sandbox-files.ts";
import { tellSettings } from "../container/settings.ts";
import { copySupervisorIn } from "../container/supervisor-archive.ts";
import { verifyMounts, verifyMountsOutside } from "../container/verify-mounts.ts";
import { prepareByArchive } from "../engine-exec/prepare-archive.ts";
import { rootTools } from "../image/root-tools.ts";
import type { Place } from "../place.ts";
import type { Plan } from "../plan/plan.ts";

/** A container that runs, and the session with its supervisor where it has one. */
export interface Started {
  record: SandboxRecord;
  container: Docker.Container;
  session: Session | undefined;
  /** The clone that was put into it while it was parked. */
  there?: PresentClone | undefined;
}

/** 48 random bits: unique on an engine, short enough for a socket's path. */
export function newRecord(place: Place, plan: Plan): SandboxRecord {
  const id = randomBytes(6).toString("hex");
  return {
    version: 1,
    id,
    containerId: null,
    name: `new-${id}`,
    state: "creating",
    agent: plan.agent,
    workspaceKind: plan.kind,
    workspaces: plan.workspaces.map(({ path, readOnly }) => ({ path, readOnly })),
    ...(plan.mounts.length > 0 ? { mounts: [...plan.mounts] } : {}),
    repository: null,
    createdAt: new Date().toISOString(),
    adoptedAt: null,
    creatorPid: process.pid,
    engine: place.facts.id,
    engineAddress: place.engine.address,
    image: plan.image.reference,
    carrier: plan.carrier,
    isolation: plan.identity.isolation,
    user: { uid: plan.identity.uid, gid: plan.identity.gid, home: plan.home },
    env: { ...plan.env },
    network: plan.network,
    paused: null,
    ports: [],
  };
}

/**
 * Makes and starts the container of a record that is already written. Whoever called discards the record when this
 * fails: that removes whatever was made.
 */
export async function startCold(
  place: Place,
  record: SandboxRecord,
  plan: Plan,
  signal: AbortSignal | undefined,
): Promise<Started> {
  const files = await sandboxFiles(place, record, plan);
  refuseAborted(signal);
  // Never cut short: an engine that goes on making it without us would leave a container that nobody knows.
  const container = await place.docker.createContainer(containerConfiguration(place, record, plan, files));
  const recorded = { ...record, containerId: container.id };
  place.state.records.write(recorded);
  refuseAborted(signal);
  if (record.carrier === "engine-exec") {
    await prepareByArchive(container, plan, record);
    await container.start();
    await verifyMountsOutside(place, container, directFolders(plan));
    return { record: recorded, container, session: undefined };
  }
  if (files.supervisor === null) await copySupervisorIn(container);
  const reachable = {
    docker: place.docker,
    stateFolder: place.state.folder,
    record,
    ...(signal ? { signal } : {}),
  };
  const session = await startAndReach(reachable, container);
  const verified =
    record.carrier === "socket"
      ? verifyMounts(session, directFolders(plan))
      : verifyMountsOutside(place, container, directFolders(plan));
  await verified.catch((error: unknown) => closing(session, error));
  if (Object.keys(record.env).length > 0) {
    await tellSettings(session, record).catch((error: unknown) => closing(session, error));
  }
  return { record: recorded, container, session };
}

/** What of the host is to be mounted. */
function directFolders({ kind, repositories, workspaces, mounts }: Plan): FolderMount[] {
  if (kind !== "direct") return [];
  return [...[...repositories, ...workspaces].map(({ path }) => ({ source: path, target: path })), ...mounts];
}

async function closing(session: Session, error: unknown): Promise<never> {
  await session.close();
  throw error;
}

export function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new SandboxError("cancelled", "cancelled: nothing of the sandbox is left");
}

async function sandboxFiles(place: Place, record: SandboxRecord, plan: Plan): Promise<SandboxFiles> {
  const none = { supervisor: null, carrier: null, rootTools: null, emptyFile: null };
  if (record.carrier !== "socket") return none;
  const shared = {
    supervisor: placeSupervisor(place.state.folder, record.id),
    carrier: ensureCarrierFolder(place.state.folder, record.id),
  };
  if (record.isolation !== "agent-root") return { ...none, ...shared };
  return {
    ...shared,
    rootTools: await rootTools(place, plan.image, plan.tools),
    emptyFile: emptyFile(place),
  };
}

function emptyFile(place: Place): string {
  const path = join(place.state.folder, "empty");
  closeSync(openSync(path, "a", 0o444));
  return path;
}
