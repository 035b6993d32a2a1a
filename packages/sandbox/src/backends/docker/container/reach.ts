import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { anySignal, type SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import { bridge } from "../../../carriers/exec-stdio.ts";
import { SandboxError } from "../../../errors.ts";
import { openDialledSession, openSession, type Session } from "../../../session/session.ts";
import { ensureCarrierFolder } from "../../../state/carrier-folder.ts";
import { lastWords } from "./last-words.ts";

/** A loaded machine takes seconds to start node; one that takes longer will not. */
const reachTimeoutMs = 20_000;

/** Between two tries at a supervisor that does not listen yet. */
const retryMs = 50;

export interface Reachable {
  docker: Docker;
  stateFolder: string;
  record: Pick<SandboxRecord, "id" | "carrier" | "name">;
  signal?: AbortSignal;
}

/** A session with the supervisor of a running sandbox, once it takes one up. */
export async function reachSupervisor(place: Reachable, containerId: string): Promise<Session> {
  return place.record.carrier === "exec-stdio" ? overStdio(place, containerId) : overSocket(place);
}

/** Starts a container and waits for its supervisor; when the container ends instead, that is told at once, and why. */
export async function startAndReach(place: Reachable, container: Docker.Container): Promise<Session> {
  const stop = new AbortController();
  const waiting = {
    ...place,
    signal: place.signal ? anySignal([place.signal, stop.signal]) : stop.signal,
  };
  // Asked for before the start, so that not even the quickest end is missed.
  const ended = container.wait({ condition: "next-exit", abortSignal: stop.signal });
  const started = container.start();
  const reached = waitFor(waiting, container, started);
  try {
    return await Promise.race([reached, whenEnded(ended).then(() => Promise.reject(new Ended()))]);
  } catch (error) {
    reached.then(
      (session) => session.close(),
      () => {},
    );
    throw await explained(place, container, error);
  } finally {
    stop.abort();
  }
}

class Ended extends Error {}

async function waitFor(
  place: Reachable,
  container: Docker.Container,
  started: Promise<unknown>,
): Promise<Session> {
  if (place.record.carrier === "exec-stdio") await started;
  const [session] = await Promise.all([reachSupervisor(place, container.id), started]);
  return session;
}

/** Settles only if the container ended; a question that was cut short is no answer. */
async function whenEnded(ended: Promise<unknown>): Promise<void> {
  await ended.catch(() => new Promise(() => {}));
}

async function explained(place: Reachable, container: Docker.Container, error: unknown): Promise<unknown> {
  if (error instanceof Ended) return broken(place, container, "its supervisor ended at once");
  const silent = error instanceof SandboxError && ["sandbox_broken", "session_lost"].includes(error.code);
  return silent ? broken(place, container, error.message) : error;
}

async function overSocket({ stateFolder, record, signal }: Reachable): Promise<Session> {
  const folder = ensureCarrierFolder(stateFolder, record.id);
  const holder = { holder: randomUUID(), generation: 0 };
  return openDialledSession(folder, holder, { timeoutMs: reachTimeoutMs, ...(signal ? { signal } : {}) });
}

async function overStdio({ docker, signal }: Reachable, containerId: string): Promise<Session> {
  const deadline = Date.now() + reachTimeoutMs;
  for (;;) {
    if (signal?.aborted) throw new SandboxError("cancelled", "cancelled while waiting for the sandbox");
    try {
      const stream = await bridge(docker, containerId, "bridge");
      return await openSession(stream, { holder: randomUUID(), generation: 0 });
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(retryMs);
    }
  }
}

async function broken(place: Reachable, container: Docker.Container, why: string): Promise<SandboxError> {
  const said = await lastWords(container);
  return new SandboxError("sandbox_broken", `the sandbox ${place.record.name} does not work: ${why}${said}`, {
    remedy: `look at it with \`docker logs ${container.id.slice(0, 12)}\`, or remove the sandbox and make it again`,
  });
}
