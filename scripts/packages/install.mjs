import { existsSync, readdirSync } from "node:fs";
import { interruption, run } from "../process/run.mjs";
import { Unavailable } from "../setup/unavailable.mjs";
import { commandPath } from "./command-path.mjs";
import { APT, APT_ENVIRONMENT, announceInstallation } from "./plan.mjs";
import { withoutServiceStart } from "./service-start.mjs";

/**
 * @typedef {object} Need
 * @property {string} command known to be there by this
 * @property {string[]} packages the first that the distribution has
 * @property {boolean} [optional] its package is not in every distribution
 */

/**
 * Installs what is missing, after saying which packages that are and how big. Does nothing when all is there.
 *
 * @param {readonly Need[]} needs
 * @param {(line: string) => void} onLine
 */
export async function installMissing(needs, onLine) {
  const missing = needs.filter((need) => !commandPath(need.command));
  if (missing.length === 0) return;
  if (missing.every((need) => need.optional) && !commandPath("apt-get")) return;
  if (!commandPath("apt-get"))
    throw unavailable(missing, "apt-get is not here (only Debian and Ubuntu are known)");
  if (process.getuid?.() !== 0) throw unavailable(missing, "installing them needs root");

  await refreshListsWhenEmpty(onLine);
  await announceAndInstall(await choosePackages(missing, onLine), onLine);
}

/** Whether something that cannot be done without is missing, and could be installed here. @param {readonly Need[]} needs */
export function canInstall(needs) {
  const missing = needs.some((need) => !need.optional && !commandPath(need.command));
  return missing && commandPath("apt-get") !== undefined && process.getuid?.() === 0;
}

/**
 * Installs as much as can be had of what several steps need, in one go: each of them would wait for apt to read its lists, and
 * for dpkg to settle. What is still missing then is theirs to install or to complain of.
 *
 * @param {readonly Need[]} needs
 * @param {(line: string) => void} onLine
 */
export async function installTogether(needs, onLine) {
  await refreshListsWhenEmpty(onLine);
  const missing = needs.filter((need) => !commandPath(need.command));
  const packages = (await Promise.all(missing.map(firstInstallable))).filter((name) => name !== undefined);
  try {
    await announceAndInstall([...new Set(packages)], onLine);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    for (const line of `not all at once: ${error.message}`.split("\n")) onLine(line);
  }
}

/** @param {readonly Need[]} missing @param {string} why */
function unavailable(missing, why) {
  return new Unavailable(`${missing.map((need) => need.command).join(", ")} missing, and ${why}`);
}

/** @param {(line: string) => void} onLine */
async function refreshListsWhenEmpty(onLine) {
  const lists = existsSync("/var/lib/apt/lists") ? readdirSync("/var/lib/apt/lists") : [];
  if (!lists.some((name) => name.includes("_Packages"))) await refreshLists(onLine);
}

/** @param {(line: string) => void} onLine */
async function refreshLists(onLine) {
  onLine("apt-get update");
  await run("apt-get", ["update", "-q", "-o", "DPkg::Lock::Timeout=300"], { env: APT_ENVIRONMENT });
}

/** @param {readonly string[]} packages @param {(line: string) => void} onLine */
async function announceAndInstall(packages, onLine) {
  if (packages.length === 0) return;
  if (!(await announceInstallation(packages, onLine))) {
    await refreshLists(onLine);
    await announceInstallation(packages, onLine);
  }
  await withoutServiceStart(() => install(packages, onLine));
}

/**
 * The first package of each need that the distribution has.
 *
 * @param {readonly Need[]} missing
 * @param {(line: string) => void} onLine
 */
async function choosePackages(missing, onLine) {
  /** @type {Set<string>} */
  const chosen = new Set();
  for (const need of missing) {
    const found = await firstInstallable(need);
    if (found !== undefined) chosen.add(found);
    else if (need.optional) onLine(`${need.command} is not in this distribution: going on without it`);
    else throw unavailable([need], "this distribution has no package for it");
  }
  return [...chosen];
}

/** @param {Need} need */
async function firstInstallable({ packages }) {
  return packages[(await Promise.all(packages.map(isInstallable))).indexOf(true)];
}

/** @param {string} name */
async function isInstallable(name) {
  const { stdout } = await run("apt-cache", ["policy", name], { env: APT_ENVIRONMENT });
  return /Candidate: (?!\(none\))/.test(stdout);
}

/** @param {readonly string[]} packages @param {(line: string) => void} onLine */
async function install(packages, onLine) {
  const attempt = () => run("apt-get", ["install", ...APT, ...packages], { env: APT_ENVIRONMENT });
  let outcome = await attempt();
  if (outcome.code !== 0 && !interruption()) {
    await refreshLists(onLine);
    outcome = await attempt();
  }
  if (outcome.code === 0) return;
  const words = (outcome.stderr || outcome.stdout).trim().split("\n").slice(-6).join("\n");
  throw new Unavailable(`apt-get could not install ${packages.join(" ")}:\n${words}`);
}
