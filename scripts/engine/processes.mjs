import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/**
 * The process that a pid file names, if it is alive and really the program we started: a pid may have been given to
 * another process since, so the command line must carry `mark` (a path that only our process was given).
 *
 * @param {string} pidFile
 * @param {string} program
 * @param {string} mark
 * @returns {number | undefined}
 */
export function livingProcess(pidFile, program, mark) {
  const pid = Number(readText(pidFile));
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  return basename(programOf(pid)) === program && commandLine(pid).includes(mark) ? pid : undefined;
}

/**
 * All living processes whose command line has `mark` as a whole argument.
 *
 * @param {string} program prefix of the program's name
 * @param {string} mark
 */
export function processesWith(program, mark) {
  return allProcesses().filter(
    (pid) => basename(programOf(pid)).startsWith(program) && commandLine(pid).includes(mark),
  );
}

/** @param {number} parent */
export function childrenOf(parent) {
  const ofParent = new RegExp(`\\) \\S ${parent} `);
  return allProcesses().filter((pid) => ofParent.test(readText(`/proc/${pid}/stat`)));
}

/**
 * Ends a process: politely, and after `graceMs` without mercy. Returns once it is gone.
 *
 * @param {number} pid
 * @param {number} graceMs
 */
export async function endProcess(pid, graceMs) {
  signal(pid, "SIGTERM");
  if (await until(() => !isAlive(pid), graceMs)) return;
  signal(pid, "SIGKILL");
  await until(() => !isAlive(pid), 5_000);
}

/** @param {number} pid */
export function isAlive(pid) {
  const stat = readText(`/proc/${pid}/stat`);
  return stat !== "" && !/\) [ZX] /.test(stat);
}

/**
 * Waits for a condition, asking often. False when the time is over.
 *
 * @param {() => boolean | Promise<boolean>} condition
 * @param {number} timeoutMs
 */
export async function until(condition, timeoutMs) {
  const end = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > end) return false;
    await delay(50);
  }
  return true;
}

function allProcesses() {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
}

/** @param {number} pid @param {NodeJS.Signals} name */
function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ESRCH") throw error;
  }
}

/** @param {number} pid */
function programOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, "");
  } catch {
    return "";
  }
}

/** @param {number} pid */
function commandLine(pid) {
  return readText(`/proc/${pid}/cmdline`).split("\0");
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
