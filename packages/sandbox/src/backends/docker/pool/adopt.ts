import { anySignal, type SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import { SandboxError } from "../../../errors.ts";
import type { CreateOptions } from "../../../sandbox.ts";
import type { Session } from "../../../session/session.ts";
import type { PresentClone } from "../../../workspace/clone.ts";
import { containerName } from "../container/name.ts";
import { reachSupervisor } from "../container/reach.ts";
import { claimName } from "../create/claim.ts";
import type { Started } from "../create/cold.ts";
import { discard } from "../discard.ts";
import type { Place } from "../place.ts";
import type { Plan } from "../plan/plan.ts";
import { cloneOf, poolKey } from "./key.ts";
import { take, tokens, withdraw } from "./tokens.ts";

/**
 * Turns a parked sandbox into the one that was asked for, or returns undefined, and then a cold create goes on exactly
 * as if there were no pool. A parked one that does not answer is discarded and the next is tried.
 */
export async function adoptParked(
  place: Place,
  plan: Plan,
  options: CreateOptions,
): Promise<Started | undefined> {
  if (plan.kind !== "clone" || tokens(place.state).length === 0) return undefined;
  const clone = cloneOf(plan);
  // One that holds the clone already before one that does not.
  for (const key of [clone && poolKey(place, plan, clone), poolKey(place, plan)]) {
    if (key === undefined) continue;
    for (let id = take(place.state, key); id !== undefined; id = take(place.state, key)) {
      const started = await adopt(place, plan, options, id);
      if (started) return started;
    }
  }
  return undefined;
}

async function adopt(
  place: Place,
  plan: Plan,
  options: CreateOptions,
  id: string,
): Promise<Started | undefined> {
  const parked = place.state.records.read(id);
  if (parked?.state !== "parked" || parked.containerId === null) {
    withdraw(place.state, id);
    return undefined;
  }
  const mine = adopted(parked, plan);
  try {
    const record = await claimName(place, mine, {
      name: options.name,
      agent: plan.agent,
      workspace: plan.workspaces[0]?.path ?? "sandbox",
    });
    // Now the record says whose it is.
    withdraw(place.state, id);
    place.state.records.releaseName(parked.name, id);
    const container = place.docker.getContainer(parked.containerId);
    const session = await takeOver(place, record, plan, container, options.signal);
    return { record, container, session, there: untouched(parked) };
  } catch (error) {
    withdraw(place.state, id);
    await discard(place, place.state.records.read(id) ?? mine);
    if (error instanceof SandboxError && ["already_exists", "cancelled"].includes(error.code)) throw error;
    return undefined;
  }
}

/** Nothing has run in it since the clone was put there. */
function untouched({ repository }: SandboxRecord): PresentClone | undefined {
  return repository?.commit ? { kind: "untouched", commit: repository.commit } : undefined;
}

function adopted(parked: SandboxRecord, plan: Plan): SandboxRecord {
  return {
    ...parked,
    state: "creating",
    creatorPid: process.pid,
    createdAt: new Date().toISOString(),
    agent: plan.agent,
    image: plan.image.reference,
    workspaces: plan.workspaces.map(({ path, readOnly }) => ({ path, readOnly })),
    repository: null,
    env: { ...plan.env },
    network: plan.network,
  };
}

/** Everything at once; a container that is not running, or no longer there, ends the wait for its supervisor. */
async function takeOver(
  place: Place,
  record: SandboxRecord,
  plan: Plan,
  container: Docker.Container,
  signal: AbortSignal | undefined,
): Promise<Session> {
  const stop = new AbortController();
  const signals = signal ? anySignal([signal, stop.signal]) : stop.signal;
  const reachable = { docker: place.docker, stateFolder: place.state.folder, record, signal: signals };
  const reached = reachSupervisor(reachable, container.id).then((session) => prepared(session, plan));
  try {
    const [session] = await Promise.all([
      reached,
      refuseStopped(container),
      container.rename({ name: containerName(record) }),
    ]);
    return session;
  } catch (error) {
    stop.abort();
    reached.then(
      (session) => session.close(),
      () => {},
    );
    if (signal?.aborted) throw new SandboxError("cancelled", "cancelled: nothing of the sandbox is left");
    throw error;
  }
}

/** Tells a parked sandbox what it is for. */
export async function prepared(
  session: Session,
  plan: Pick<Plan, "workspaces" | "home" | "author" | "env">,
): Promise<Session> {
  const folders = plan.workspaces.map(({ path }) => path);
  const [workDir] = folders;
  await session.prepare({
    home: plan.home,
    ...plan.author,
    ownedFolders: folders,
    env: { ...plan.env },
    ...(workDir ? { workDir } : {}),
  });
  return session;
}

async function refuseStopped(container: Docker.Container): Promise<void> {
  const { State } = await container.inspect();
  if (!State.Running || State.Paused) throw new Error("the parked sandbox does not run");
}
