import { existsSync } from "node:fs";
import { run } from "../process/run.mjs";
import { CHECKOUT, inCheckout } from "./checkout.mjs";

/**
 * Builds the worker image with our own command, from a registry's base where one can be reached and from Debian's
 * packages otherwise. Layers that have not changed are reused by the engine.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string | undefined} agents the CLIs to put in; all where none is named
 * @param {(line: string) => void} say
 * @returns {Promise<"built" | "failed" | "no command">}
 */
export async function buildWorkerImage(env, agents, say) {
  const command = inCheckout("packages", "cli", "dist", "opentiger.js");
  if (!existsSync(command)) {
    say("no opentiger command is built: the worker image is left out");
    return "no command";
  }
  for (const base of ["registry", "debian"]) {
    const words = ["image", "build", "--base", base, ...(agents ? ["--agents", agents] : [])];
    say(`opentiger ${words.join(" ")}`);
    const { code } = await run(process.execPath, [command, ...words], {
      cwd: CHECKOUT,
      env,
      onLine: (line) => say(`  ${line}`),
    });
    if (code === 0) return "built";
  }
  return "failed";
}
