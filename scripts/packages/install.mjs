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
  const packages = await choosePackages(missing, onLine);
  if (packages.length === 0) return;
  if (!(await announceInstallation(packages, onLine))) {
    await refreshLists(onLine);
    await announceInstallation(packages, onLine);
  }
  await withoutServiceStart(() => install(packages, onLine));
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

/**
 * The first package of each need that the distribution has.
 *
 * @param {readonly Need[]} missing
 * @param {(line: string) => void} onLine
 */
async function choosePackages(missing, onLine) {
  const chosen = new Set();
  for (const need of missing) {
    const found = (await Promise.all(need.packages.map(isInstallable))).indexOf(true);
    if (found >= 0) chosen.add(need.packages[found]);
    else if (need.optional) onLine(`${need.command} is not in this distribution: going on without it`);
    else throw unavailable([need], "this distribution has no package for it");
  }
  return [...chosen];
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
