import { existsSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

const POLICY = "/usr/sbin/policy-rc.d";
const MARK = "# opentiger: no service starts while packages are installed";

/**
 * Runs `work` while Debian's packages may not start services: installing docker.io would otherwise start a second
 * engine that rewrites the machine's firewall. What stood at policy-rc.d before (file, link or nothing) stands there
 * again afterwards, also when `work` fails; what a killed run left behind is put right by the next one.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @param {string} [policy]
 * @returns {Promise<T>}
 */
export async function withoutServiceStart(work, policy = POLICY) {
  putBack(policy);
  if (isThere(policy)) renameSync(policy, saved(policy));
  writeFileSync(policy, `#!/bin/sh\n${MARK}\nexit 101\n`, { mode: 0o755 });
  try {
    return await work();
  } finally {
    putBack(policy);
  }
}

/** @param {string} policy */
function putBack(policy) {
  const isOurs = existsSync(policy) && readFileSync(policy, "utf8").includes(MARK);
  if (isOurs) rmSync(policy);
  if (isThere(saved(policy)) && !isThere(policy)) renameSync(saved(policy), policy);
}

/** @param {string} policy */
function saved(policy) {
  return `${policy}.saved-by-opentiger`;
}

/** Unlike existsSync, sees a link that leads nowhere. @param {string} path */
function isThere(path) {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
