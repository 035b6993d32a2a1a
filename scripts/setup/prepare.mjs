import { mkdirSync } from "node:fs";
import { buildBundles } from "../build/bundles.mjs";
import { ensureEngine } from "../engine/engine.mjs";
import { EngineUnavailable } from "../engine/unavailable.mjs";
import { inCheckout } from "./checkout.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { step, stepBeside } from "./step.mjs";
import { buildWorkerImage } from "./worker-image.mjs";

/**
 * @typedef {object} Prepared
 * @property {NodeJS.ProcessEnv} env what tests, benchmarks and demo are run with
 * @property {boolean} built whether the bundles could be built
 * @property {string | undefined} withoutEngine why there is no engine, when there is none
 * @property {Promise<"built" | "failed" | "no command"> | undefined} image it is built beside what needs no engine
 * @property {() => Promise<void>} stop
 */

/**
 * Everything the commands of package.json need: packages, bundles and, if asked for, an engine with the worker image.
 * State goes to a folder of the checkout, never to the user's own.
 *
 * @param {{engine: boolean}} needs
 * @returns {Promise<Prepared>}
 */
export async function prepare(needs) {
  await ensureDependencies();
  const built = await step("build", (say) => buildOrSay(say));
  const home = inCheckout(".cache", "test-home");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const env = { ...process.env, OPENTIGER_HOME: home };
  const stop = async () => {};
  if (!needs.engine) return { env, built, withoutEngine: undefined, image: undefined, stop };

  const engine = await step("Docker engine", (say) => engineOrReason(say));
  if (typeof engine === "string") {
    console.log(`  NO ENGINE: ${engine}`);
    return { env, built, withoutEngine: engine, image: undefined, stop };
  }
  const withEngine = { ...env, DOCKER_HOST: engine.dockerHost };
  const image = stepBeside("worker image", (say) => buildWorkerImage(withEngine, say));
  const stopAfterImage = async () => {
    await image;
    await engine.stop();
  };
  return { env: withEngine, built, withoutEngine: undefined, image, stop: stopAfterImage };
}

/** What does not build is said and counted; tests that need no bundle can still tell why. @param {(line: string) => void} say */
async function buildOrSay(say) {
  try {
    await buildBundles();
    return true;
  } catch (error) {
    say(`FAILED: ${error instanceof Error ? error.message.split("\n").slice(0, 5).join("\n  ") : error}`);
    return false;
  }
}

/** @param {(line: string) => void} say */
async function engineOrReason(say) {
  try {
    return await ensureEngine({ onLine: say });
  } catch (error) {
    if (error instanceof EngineUnavailable) return error.message;
    throw error;
  }
}
