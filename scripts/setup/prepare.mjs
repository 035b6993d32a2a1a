import { mkdirSync } from "node:fs";
import { ensureBrowser } from "../browser/browser.mjs";
import { buildBundles } from "../build/bundles.mjs";
import { buildDashboard } from "../build/dashboard.mjs";
import { ensureEngine } from "../engine/engine.mjs";
import { TEST_NEEDS } from "../engine/needs.mjs";
import { interruption } from "../process/run.mjs";
import { ensureTerminal } from "../suites/terminal.mjs";
import { inCheckout } from "./checkout.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { makeMemoryFolder } from "./memory-folder.mjs";
import { installPackagesBeside } from "./packages.mjs";
import { step, stepBeside } from "./step.mjs";
import { Unavailable } from "./unavailable.mjs";
import { buildWorkerImage } from "./worker-image.mjs";

/**
 * @typedef {object} Prepared
 * @property {NodeJS.ProcessEnv} env what tests, benchmarks and demo are run with
 * @property {boolean} built whether the bundles could be built
 * @property {string | undefined} withoutEngine why there is no engine, when there is none
 * @property {string | undefined} withoutBrowser why there is no browser, when there is none
 * @property {Promise<"built" | "failed" | "no command"> | undefined} image it is built beside what needs no engine
 * @property {() => Promise<void>} stop
 */

const NONE = { got: undefined, why: undefined };

/**
 * Everything the commands of package.json need: packages, bundles and, if asked for, an engine with the worker image, and
 * a browser and a terminal. State goes to a folder of the checkout, never to the user's own.
 *
 * @param {{engine: boolean, tests?: boolean, browser?: boolean, terminal?: boolean, memory?: boolean, agent?: string}} needs
 *   `tests`: with what only tests need; `memory`: temporary files in memory, where that can be had; `agent`: the image holds
 *   this one alone, and is small
 * @returns {Promise<Prepared>}
 */
export async function prepare(needs) {
  const built = await dependenciesAndBuild(needs);
  const home = inCheckout(".cache", "test-home");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const browser = needs.browser ? await step("browser", (say) => orReason(() => ensureBrowser(say))) : NONE;
  if (browser.why) console.log(`  NO BROWSER: ${browser.why}`);
  const memory = needs.memory ? await step("temporary files", makeMemoryFolder) : undefined;
  const found = {
    ...(browser.got ? { OPENTIGER_BROWSER: browser.got } : {}),
    ...(memory ? { TMPDIR: memory.folder } : {}),
  };
  const env = { ...process.env, ...found, OPENTIGER_HOME: home };
  const nothing = { built, withoutEngine: undefined, withoutBrowser: browser.why, image: undefined };
  const stop = async () => memory?.remove();
  if (!needs.engine) return { ...nothing, env, stop };

  const beside = needs.tests ? TEST_NEEDS : [];
  const engine = await step("Docker engine", (say) => orReason(() => ensureEngine({ onLine: say, beside })));
  if (!engine.got) {
    console.log(`  NO ENGINE: ${engine.why}`);
    return { ...nothing, env, withoutEngine: engine.why, stop };
  }
  const terminal = needs.terminal
    ? await step("terminal", (say) => orReason(() => ensureTerminal(say)))
    : NONE;
  if (terminal.why) console.log(`  NO TERMINAL: ${terminal.why}`);
  const { dockerHost, stop: stopEngine } = engine.got;
  const small = needs.agent ? { SANDBOX_DOCKER_IMAGE: `opentiger/worker:${needs.agent}` } : {};
  const withEngine = { ...env, ...small, DOCKER_HOST: dockerHost };
  const image = stepBeside("worker image", (say) => buildWorkerImage(withEngine, needs.agent, say));
  const stopAfterImage = async () => {
    await image;
    await stopEngine();
    await stop();
  };
  return { ...nothing, env: withEngine, image, stop: stopAfterImage };
}

/**
 * One of them waits for registries and the other mostly for the processor. Whatever fails, the other has ended too.
 *
 * @param {Parameters<typeof prepare>[0]} needs
 */
async function dependenciesAndBuild(needs) {
  const [packages, built] = await Promise.allSettled([installPackagesBeside(needs), ownBuild()]);
  const signal = interruption();
  if (signal) process.kill(process.pid, signal);
  if (packages.status === "rejected") throw packages.reason;
  if (built.status === "rejected") throw built.reason;
  return built.value;
}

async function ownBuild() {
  await ensureDependencies();
  return step("build", (say) => buildOrSay(say));
}

/** What does not build is said and counted; tests that need no bundle can still tell why. @param {(line: string) => void} say */
async function buildOrSay(say) {
  try {
    await Promise.all([buildBundles(), buildDashboard()]);
    return true;
  } catch (error) {
    say(`FAILED: ${error instanceof Error ? error.message.split("\n").slice(0, 5).join("\n  ") : error}`);
    return false;
  }
}

/**
 * What can be had, or why it cannot be had here.
 *
 * @template T
 * @param {() => Promise<T>} get
 * @returns {Promise<{got: T, why?: undefined} | {got?: undefined, why: string}>}
 */
async function orReason(get) {
  try {
    return { got: await get() };
  } catch (error) {
    if (error instanceof Unavailable) return { why: error.message };
    throw error;
  }
}
