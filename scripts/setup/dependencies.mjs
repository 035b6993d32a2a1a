import { readFileSync } from "node:fs";
import { mustRun } from "../process/run.mjs";
import { CHECKOUT, inCheckout } from "./checkout.mjs";
import { step } from "./step.mjs";

/** Runs `npm ci` unless what is installed is exactly what the lock file asks for. */
export async function ensureDependencies() {
  const reason = whyInstall();
  if (!reason) return;
  await step(`npm ci (${reason})`, () =>
    mustRun("npm", ["ci", "--no-audit", "--no-fund"], { cwd: CHECKOUT }),
  );
}

/**
 * npm writes what it has installed into node_modules as the last thing it does, so an interrupted install is seen as
 * none. Optional packages are left out: which of them are there depends on the platform.
 */
function whyInstall() {
  const wanted = packagesOf(inCheckout("package-lock.json"));
  const installed = packagesOf(inCheckout("node_modules", ".package-lock.json"));
  if (!wanted) return "no package-lock.json";
  if (!installed) return "nothing is installed yet";
  const differing = Object.entries(wanted).filter(
    ([path, entry]) =>
      path.includes("node_modules/") && !entry.optional && installed[path]?.version !== entry.version,
  );
  return differing.length > 0 ? `${differing.length} packages differ from the lock file` : undefined;
}

/** @param {string} path @returns {Record<string, {version?: string, optional?: boolean}> | undefined} */
function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch {
    return undefined;
  }
}
