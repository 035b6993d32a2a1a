import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { startTimeOf } from "@opentiger/sandbox";

/** Where a process is: the machine, since when that runs, and which of its numberings of processes it is in. */
export interface Machine {
  hostname: string;
  bootId: string;
  /** A container that shares its name with the host has numbers of its own: the same number is another process there. */
  pidNamespace: string;
}

/**
 * Who claims: this process, under a name that no other process ever has, and by which others on the same machine see
 * whether it still lives.
 */
export function newOwner(machine: Machine = thisMachine()): string {
  const { pid } = process;
  const random = randomBytes(6).toString("hex");
  const { hostname, bootId, pidNamespace } = machine;
  return [hostname, bootId, pidNamespace, pid, startTimeOf(pid) ?? "unknown", random].join(":");
}

/**
 * Whether this owner is known to have ended. Only of one on this machine, since it was last started, and not in a container
 * apart, can that be known; of all others the lease alone speaks. A number that another process has by now, and a zombie, have ended.
 */
export function ownerHasEnded(owner: string, machine: Machine = thisMachine()): boolean {
  const [name, bootId, pidNamespace, pid = "", startTime, random] = owner.split(":");
  if (random === undefined || name !== machine.hostname || bootId !== machine.bootId) return false;
  if (pidNamespace !== machine.pidNamespace) return false;
  if (startTime === "unknown" || !/^\d+$/.test(pid)) return false;
  return startTimeOf(Number(pid)) !== startTime;
}

export function thisMachine(): Machine {
  return { hostname: hostname().replaceAll(":", "_"), bootId: bootId(), pidNamespace: pidNamespace() };
}

/** Where the kernel does not say, no owner is ever known to have ended. */
function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return randomBytes(16).toString("hex");
  }
}

/** The same. */
function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "");
  } catch {
    return randomBytes(16).toString("hex");
  }
}
