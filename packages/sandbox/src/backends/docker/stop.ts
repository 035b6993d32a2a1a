import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import { SandboxError } from "../../errors.ts";
import type { StopOptions } from "../../sandbox.ts";
import { closeWayOut } from "./container/way-out.ts";
import { forget } from "./discard.ts";
import { answered } from "./engine/answered.ts";
import { sentenceOf, statusOf } from "./engine/errors.ts";
import { elsewhere } from "./inspect.ts";
import { findSandbox, notFound } from "./open.ts";
import type { Place } from "./place.ts";

/** What commands have to end by themselves after SIGTERM. A person is waiting. */
const graceMs = 300;

/** Stops a sandbox within a second. One that is not running is stopped already. */
export async function stopSandbox(place: Place, name: string, { id }: StopOptions = {}): Promise<void> {
  const record = findSandbox(place, name);
  if (id !== undefined && record.id !== id) throw notFound(name);
  if (record.engine !== place.facts.id) throw elsewhere(place, record);
  const container = place.docker.getContainer(record.containerId);
  if (record.paused) place.state.records.update(record.id, (latest) => ({ ...latest, paused: null }));
  try {
    await end(container, record);
  } catch (error) {
    if (statusOf(error) === 404) {
      forget(place, record);
      throw notFound(name);
    }
    if (!isStopped(error)) throw error;
  }
  await closeWayOut(place, record.id);
}

/** The supervisor passes SIGTERM on to every command and ends; whatever is left after the grace is killed. */
async function end(container: Docker.Container, record: SandboxRecord): Promise<void> {
  const gone = new AbortController();
  const ended = container.wait({ condition: "not-running", abortSignal: gone.signal }).catch(() => undefined);
  try {
    // A paused process takes no signal, and some engines refuse to kill it.
    await answered((abortSignal) => container.unpause({ abortSignal })).catch(unlessHanging);
    if (record.isolation !== "agent-root") {
      await answered((abortSignal) => container.kill({ signal: "SIGTERM", abortSignal }));
      await Promise.race([ended, sleep(graceMs)]);
    }
    await answered((abortSignal) => container.kill({ signal: "SIGKILL", abortSignal }));
    await answered((abortSignal) => Promise.race([ended, refusedAt(abortSignal)]));
  } finally {
    gone.abort();
  }
}

/** One that is not paused is refused. */
function unlessHanging(error: unknown): void {
  if (error instanceof SandboxError) throw error;
}

async function refusedAt(signal: AbortSignal): Promise<never> {
  await once(signal, "abort");
  throw signal.reason;
}

function isStopped(error: unknown): boolean {
  return (statusOf(error) === 409 || statusOf(error) === 500) && /not running/i.test(sentenceOf(error));
}
