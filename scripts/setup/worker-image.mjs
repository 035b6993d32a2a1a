import { existsSync } from "node:fs";
import { run } from "../process/run.mjs";
import { CHECKOUT, inCheckout } from "./checkout.mjs";

const REGISTRY = "https://registry-1.docker.io/v2/";
/** A registry that does not answer its front door in this time is no registry to pull an image of 100 MB from. */
const REGISTRY_TIMEOUT_MS = 5_000;

/**
 * Builds the worker image with our own command, from a registry's base where one can be reached and from Debian's
 * packages otherwise. Layers that have not changed are reused by the engine.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {(line: string) => void} say
 * @returns {Promise<"built" | "failed" | "no command">}
 */
export async function buildWorkerImage(env, say) {
  const command = inCheckout("packages", "cli", "dist", "opentiger.js");
  if (!existsSync(command)) {
    say("no opentiger command is built: the worker image is left out");
    return "no command";
  }
  const base = (await isRegistryReachable()) ? [] : ["--base", "debian"];
  say(`opentiger image build ${base.join(" ")}`.trim());
  const { code } = await run(process.execPath, [command, "image", "build", ...base], {
    cwd: CHECKOUT,
    env,
    onLine: (line) => say(`  ${line}`),
  });
  return code === 0 ? "built" : "failed";
}

async function isRegistryReachable() {
  try {
    const { status } = await fetch(REGISTRY, { signal: AbortSignal.timeout(REGISTRY_TIMEOUT_MS) });
    return status === 200 || status === 401;
  } catch {
    return false;
  }
}
