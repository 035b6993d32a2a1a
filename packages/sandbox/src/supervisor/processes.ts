import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** How a process is recognised as belonging to an exec; it cannot shed either by setsid or by a double fork. */
export type Marker =
  | { kind: "group"; gid: number }
  | { kind: "environment"; variable: string; value: string };

/** In host mode, where there is no privilege to add a group, the mark of an exec is this variable. */
export const execVariable = "OPENTIGER_EXEC_ID";

/** Carried by the supervisor of a host sandbox and, by inheritance, by everything it starts. */
export const hostSandboxVariable = "OPENTIGER_SANDBOX_ID";

export function processIds(): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0);
}

export function markedProcesses(marker: Marker): number[] {
  return processIds().filter((pid) => pid !== process.pid && carries(pid, marker));
}

/** Sends a signal to every marked process and says how many there were. */
export function signalMarked(marker: Marker, signal: NodeJS.Signals): number {
  const pids = markedProcesses(marker);
  for (const pid of pids) send(pid, signal);
  return pids.length;
}

/** A process may fork between two looks at /proc; bounded, since the pids limit bounds what it can make. */
const killRounds = 200;

/**
 * Ends every marked process. They are stopped first, until a look finds no running one, so that a fork bomb
 * cannot outrun us; then killed.
 */
export async function killMarked(marker: Marker): Promise<void> {
  for (let round = 0; round < killRounds; round += 1) {
    const pids = markedProcesses(marker);
    if (pids.length === 0) return;
    for (const pid of pids) send(pid, "SIGSTOP");
    for (const pid of pids) send(pid, "SIGKILL");
    await sleep(round < 20 ? 2 : 20);
  }
}

/** Every supplementary group carried by any process: which markers are still in use. */
export function groupsInUse(): Set<number> {
  const groups = new Set<number>();
  for (const pid of processIds()) for (const gid of groupsOf(pid)) groups.add(gid);
  return groups;
}

function carries(pid: number, marker: Marker): boolean {
  if (marker.kind === "group") return groupsOf(pid).includes(marker.gid);
  const environ = read(`/proc/${pid}/environ`);
  return `\0${environ}`.includes(`\0${marker.variable}=${marker.value}\0`) && !isZombie(pid);
}

/** Empty for a process that is gone, and for a zombie, which needs no killing. */
function groupsOf(pid: number): number[] {
  const status = read(`/proc/${pid}/status`);
  if (/^State:\s+[ZX]/m.test(status)) return [];
  const line = /^Groups:\s*(.*)$/m.exec(status)?.[1] ?? "";
  return line.split(/\s+/).filter(Boolean).map(Number);
}

function isZombie(pid: number): boolean {
  return /^State:\s+[ZX]/m.test(read(`/proc/${pid}/status`));
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // It ended between the listing and the look, or is not ours to read.
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}
