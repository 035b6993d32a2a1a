import { existsSync, readdirSync } from "node:fs";
import { interruption, run } from "../process/run.mjs";
import { APT, APT_ENVIRONMENT, announceInstallation } from "./package-plan.mjs";
import { withoutServiceStart } from "./service-start.mjs";
import { EngineUnavailable } from "./unavailable.mjs";

/**
 * What a private engine, its base image and the tests need, by command. `optional` packages are not in every distribution.
 * The docker client is a package of its own from Debian 13 on.
 */
const NEEDS = [
  { command: "dockerd", packages: ["docker.io"] },
  { command: "docker", packages: ["docker-cli", "docker.io"] },
  { command: "iptables", packages: ["iptables"] },
  { command: "ip", packages: ["iproute2"] },
  { command: "debootstrap", packages: ["debootstrap"] },
  { command: "openssl", packages: ["openssl"] },
  { command: "redis-server", packages: ["redis-server"], optional: true },
  { command: "runsc", packages: ["runsc"], optional: true },
];

/**
 * Installs what is missing, after saying which packages that are and how big. Does nothing when all is there.
 *
 * @param {(line: string) => void} onLine
 */
export async function installMissingPackages(onLine) {
  const missing = NEEDS.filter((need) => !commandPath(need.command));
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

/**
 * Where a command is, looked for also in the administrator's folders.
 *
 * @param {string} command
 */
export function commandPath(command) {
  const folders = `${process.env.PATH ?? ""}:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin`.split(
    ":",
  );
  return folders
    .map((folder) => `${folder}/${command}`)
    .find((path) => path.startsWith("/") && existsSync(path));
}

/** @param {readonly {command: string}[]} missing @param {string} why */
function unavailable(missing, why) {
  return new EngineUnavailable(
    `no engine: ${missing.map((need) => need.command).join(", ")} missing, and ${why}`,
  );
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
 * @param {readonly {command: string, packages: string[], optional?: boolean}[]} missing
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
  throw new EngineUnavailable(`apt-get could not install ${packages.join(" ")}:\n${words}`);
}
