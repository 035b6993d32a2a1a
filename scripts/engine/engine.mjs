import { readFileSync } from "node:fs";
import { installMissing } from "../packages/install.mjs";
import { interruption } from "../process/run.mjs";
import { Unavailable } from "../setup/unavailable.mjs";
import { ensureBridge, removeBridge } from "./bridge.mjs";
import { runningDaemon, startDaemon, stopDaemon } from "./daemon.mjs";
import { closeFirewall, openFirewall } from "./firewall.mjs";
import { answersPing, foundEngine } from "./found.mjs";
import { withLock } from "./lock.mjs";
import { ENGINE_NEEDS } from "./needs.mjs";
import { enginePaths, makeEngineFolders } from "./paths.mjs";
import { until } from "./processes.mjs";
import { whyNoPrivateEngine } from "./rights.mjs";
import { engineUsers } from "./users.mjs";

/** A running engine that is overloaded gets this long to answer before it counts as hung and is started anew. */
const HUNG_AFTER_MS = 30_000;

/**
 * @typedef {object} Engine
 * @property {string} dockerHost for DOCKER_HOST
 * @property {boolean} private whether it is ours
 * @property {() => Promise<void>} stop ends our use: the last user of a private engine that nobody keeps stops it
 */

/**
 * @typedef {object} EngineOptions
 * @property {(line: string) => void} [onLine]
 * @property {string} [folder]
 * @property {readonly import("./needs.mjs").Need[]} [beside] what is to be there when a private one is started
 */

/**
 * An engine to work with: the user's own when it answers, otherwise the private one of this folder, installed and
 * started as needed.
 *
 * @param {EngineOptions} [options]
 * @returns {Promise<Engine>}
 */
export async function ensureEngine(options = {}) {
  const found = await foundEngine();
  if (!found) return startPrivateEngine(options);
  options.onLine?.(`using the Docker engine at ${found.dockerHost} (${found.from})`);
  return { dockerHost: found.dockerHost, private: false, stop: async () => {} };
}

/** Why there can be no engine here, known before anything is fetched or made; undefined: there may be one. */
export async function whyNoEngine() {
  return (await foundEngine()) ? undefined : whyNoPrivateEngine();
}

/**
 * The private engine of a folder, started unless it runs. What a crashed one left is cleared away first. No other
 * engine on the machine notices.
 *
 * @param {EngineOptions} [options]
 * @returns {Promise<Engine>}
 */
export async function startPrivateEngine({ onLine = () => {}, folder, beside = [] } = {}) {
  const refusal = whyNoPrivateEngine();
  if (refusal !== undefined) throw new Unavailable(refusal);
  const paths = enginePaths(folder);
  makeEngineFolders(paths);
  await withLock(paths.name, async () => {
    engineUsers(paths).join();
    if (await isUsable(paths)) onLine(`reusing the private engine at ${paths.dockerHost}`);
    else await start(paths, onLine, beside);
  });
  return { dockerHost: paths.dockerHost, private: true, stop: () => leave(paths) };
}

/**
 * Stops a private engine and removes its bridge and firewall rules; its data stays for the next start.
 *
 * @param {{folder?: string}} [options]
 */
export async function stopPrivateEngine({ folder } = {}) {
  const paths = enginePaths(folder);
  makeEngineFolders(paths);
  await withLock(paths.name, () => stop(paths));
}

/** @param {import("./paths.mjs").EnginePaths} paths */
async function isUsable(paths) {
  let answers = false;
  await until(async () => {
    answers = runningDaemon(paths) !== undefined && (await answersPing(paths.dockerHost));
    return answers || runningDaemon(paths) === undefined;
  }, HUNG_AFTER_MS);
  return answers;
}

/**
 * @param {import("./paths.mjs").EnginePaths} paths
 * @param {(line: string) => void} onLine
 * @param {readonly import("./needs.mjs").Need[]} beside
 */
async function start(paths, onLine, beside) {
  await installMissing([...ENGINE_NEEDS, ...beside], onLine);
  const signal = interruption();
  if (signal) process.kill(process.pid, signal);
  if (paths.runIsElsewhere)
    onLine(`the checkout's path is too long for a socket: the engine's are in ${paths.run}`);
  if (readFileSync("/proc/sys/net/ipv4/ip_forward", "utf8").trim() === "0") {
    onLine("net.ipv4.ip_forward is switched on, as every Docker engine with a bridge does");
  }
  const block = await ensureBridge(paths);
  if (!(await openFirewall(paths, block)))
    onLine("iptables does not work here: containers will have no way out");
  await startDaemon(paths, block);
  onLine(`private engine at ${paths.dockerHost}, bridge ${paths.name} (${block.range}), log ${paths.log}`);
}

/** @param {import("./paths.mjs").EnginePaths} paths */
async function leave(paths) {
  const users = engineUsers(paths);
  users.leave();
  if (users.isKept()) return;
  await withLock(paths.name, async () => {
    if (users.others().length === 0) await stop(paths);
  });
}

/** @param {import("./paths.mjs").EnginePaths} paths */
async function stop(paths) {
  await stopDaemon(paths);
  await removeBridge(paths);
  await closeFirewall(paths);
  engineUsers(paths).forget();
}
