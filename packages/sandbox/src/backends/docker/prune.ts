import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SandboxRecord } from "@opentiger/schema";
import { carrierFolder, removeCarrierFolder } from "../../state/carrier-folder.ts";
import { creatorLives } from "../../state/creator.ts";
import { removeSupervisor } from "../../state/supervisor-file.ts";
import { HostRecords } from "../host/host-record.ts";
import { isAbandoned } from "./create/claim.ts";
import { collectAbandoned, discard, forget, removeLeftovers } from "./discard.ts";
import { statusOf } from "./engine/errors.ts";
import { collectSaved } from "./image/saved.ts";
import { collectThrowaways } from "./image/throwaway.ts";
import type { Place } from "./place.ts";
import { trimPool } from "./pool/keep.ts";
import { readPoolSettings, writePoolSettings } from "./pool/settings.ts";
import { tokens, withdraw } from "./pool/tokens.ts";

/** Temporary files live for an instant; older ones were left by a crash. */
const temporaryPatienceMs = 3_600_000;

/**
 * Collects what crashed creates and half-done removals left, and the parked ones that no create adopts. A container
 * counts as ours only if a record names it, or, for a creator that died before it could write that down, if it has the
 * very name the record foresaw: labels prove nothing. Since a record is written before the container and removed after
 * it, nothing else can be ours.
 */
export async function pruneSandboxes(place: Place): Promise<string[]> {
  const collected = await forEachRecord(place, async (record) => {
    if (isAbandoned(record)) {
      await collectAbandoned(place, record);
      return record.name;
    }
    if (!(await isLost(place, record))) {
      await removeLeftovers(place, record);
      return undefined;
    }
    withdraw(place.state, record.id);
    await discard(place, record);
    return record.name;
  });
  const trimmed = await trimPool(place);
  await collectThrowaways(place);
  await collectSaved(place);
  collectLeftovers(place);
  return [...collected, ...trimmed];
}

/**
 * Removes every sandbox of this instance on this engine, parked ones too, and turns the pool off, so that nobody fills
 * it again. What another process is making is its own.
 */
export async function resetSandboxes(place: Place): Promise<string[]> {
  if (readPoolSettings(place).size > 0) writePoolSettings(place, { size: 0 });
  const removed = await forEachRecord(place, async (record) => {
    if (record.state === "creating" && creatorLives(record)) return undefined;
    withdraw(place.state, record.id);
    await (isAbandoned(record) ? collectAbandoned(place, record) : discard(place, record));
    return record.state === "adopted" ? record.name : undefined;
  });
  await pruneSandboxes(place);
  return removed;
}

/** An engine removes a few containers at once faster than one after the other; many slow it down. */
const atOnce = 4;

/** Goes on when one of them fails, so that it does not keep the others alive, and reports that failure at the end. */
async function forEachRecord(
  place: Place,
  work: (record: SandboxRecord) => Promise<string | undefined>,
): Promise<string[]> {
  const waiting = place.state.records.list().records.filter(({ engine }) => engine === place.facts.id);
  const done: string[] = [];
  const failures: unknown[] = [];
  const worker = async () => {
    for (let record = waiting.shift(); record; record = waiting.shift()) {
      try {
        const name = await work(record);
        if (name !== undefined) done.push(name);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
  return done;
}

/** A finished sandbox without its container, or a parked one that nobody can take any more. */
async function isLost(place: Place, record: SandboxRecord): Promise<boolean> {
  if (record.state !== "adopted" && record.state !== "parked") return false;
  if (record.state === "parked" && !isOnOffer(place, record)) return true;
  if (record.containerId === null) return true;
  try {
    await place.docker.getContainer(record.containerId).inspect();
    return false;
  } catch (error) {
    if (statusOf(error) === 404) return true;
    throw error;
  }
}

function isOnOffer(place: Place, record: SandboxRecord): boolean {
  const token = tokens(place.state).find(({ id }) => id === record.id);
  // Its maker is about to offer it.
  if (!token) return creatorLives(record);
  return (
    token.taker === undefined ||
    creatorLives({ creatorPid: token.taker, createdAt: new Date().toISOString() })
  );
}

/** Beside the folders of sandboxes lie the sockets of our own processes, which are called otherwise. */
const sandboxId = /^[0-9a-f]{12,16}$/;

/** Files of sandboxes that have no record any more. The record comes first and goes last, so nobody needs them. */
function collectLeftovers(place: Place): void {
  const { folder, records } = place.state;
  const carriers = list(dirname(carrierFolder(folder, "x")));
  const supervisors = list(join(folder, "supervisor"));
  // After the files: one that is made meanwhile has its record before them, and a supervisor of the host whose file goes ends.
  const hosts = new Set(new HostRecords(folder).list().map(({ id }) => id));
  for (const id of carriers) if (sandboxId.test(id) && isForgotten(id)) removeCarrierFolder(folder, id);
  for (const file of supervisors) {
    const id = basename(file, ".cjs");
    if (file.endsWith(".cjs") && isForgotten(id)) removeSupervisor(folder, id);
  }
  for (const name of list(join(folder, "names"))) {
    const holder = records.holderOf(name);
    if (holder !== undefined && isForgotten(holder)) forget(place, { id: holder, name });
  }
  for (const part of ["sandboxes", "supervisor", "images", "saved", "tools"]) {
    for (const file of list(join(folder, part))) removeIfOld(join(folder, part, file));
  }

  function isForgotten(id: string): boolean {
    if (hosts.has(id)) return false;
    try {
      return records.read(id) === undefined;
    } catch {
      // Unreadable is not absent.
      return false;
    }
  }
}

function removeIfOld(path: string): void {
  if (!path.endsWith(".tmp")) return;
  try {
    if (Date.now() - statSync(path).mtimeMs > temporaryPatienceMs)
      rmSync(path, { recursive: true, force: true });
  } catch {
    // Gone already.
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
