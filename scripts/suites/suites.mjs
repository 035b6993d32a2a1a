import { dirname } from "node:path";
import { runCheckSteps } from "../check/steps.mjs";
import { NODE24_VERSION, node24Binary } from "../node24/binary.mjs";
import { checkNodeVersions } from "../node24/versions.mjs";
import { commandPath } from "../packages/command-path.mjs";
import { seconds } from "../setup/step.mjs";
import { add, NOTHING, one } from "./tally.mjs";
import { runVitestSuite } from "./vitest.mjs";

/** @typedef {import("./tally.mjs").Tally} Tally */
/** @typedef {import("../setup/prepare.mjs").Prepared} Prepared */

/**
 * @typedef {object} Suite
 * @property {string} name
 * @property {boolean} needsEngine
 * @property {boolean} [needsBrowser]
 * @property {boolean} [needsTerminal] some of its tests do, and skip themselves where there is none
 * @property {string} [node] the version that its tests run on, if that is not the one that runs this
 * @property {(prepared: Prepared) => string | undefined} [skipReason] why it cannot run here, if it cannot
 * @property {(env: NodeJS.ProcessEnv) => Promise<Tally>} run
 */

/** Everything `npm test` runs, the quick ones first. @type {readonly Suite[]} */
export const SUITES = [
  { name: "check", needsEngine: false, run: check },
  { name: "unit", needsEngine: false, run: (env) => runVitestSuite("unit", env) },
  { name: "node24", needsEngine: false, run: async () => checkNodeVersions((line) => console.log(line)) },
  { ...withEngine("engine"), skipReason: whyNoPrivateEngine },
  withEngine("e2e"),
  withEngine("security"),
  withEngine("crash"),
  { ...withEngine("browser"), needsBrowser: true, skipReason: whyNoBrowserTests },
];

/**
 * What `npm run soak` runs besides: the same on Node 24, at the size of `npm test`. Its folder comes first in PATH, so
 * that everything that is started under the name of node is it.
 *
 * @type {readonly Suite[]}
 */
export const SOAK_SUITES = ["unit", "e2e", "security", "crash"].map((name) => ({
  ...(name === "unit" ? { needsEngine: false } : withEngine(name)),
  name: `${name}-node24`,
  node: `v${NODE24_VERSION}`,
  run: async (env) => runVitestSuite(name, { ...env, PATH: await node24Path(env), OPENTIGER_SOAK: "" }),
}));

/** @param {NodeJS.ProcessEnv} env */
async function node24Path({ PATH = "" }) {
  return `${dirname(await node24Binary((line) => console.log(line)))}:${PATH}`;
}

/** @param {string} name @returns {Suite} */
function withEngine(name) {
  return {
    name,
    needsEngine: true,
    needsTerminal: name === "e2e",
    skipReason: ({ withoutEngine }) => withoutEngine,
    run: (env) => runVitestSuite(name, env),
  };
}

/** Where the user's own engine is used, nothing is installed only to start a second one. @param {Prepared} prepared */
function whyNoPrivateEngine({ withoutEngine }) {
  if (withoutEngine) return withoutEngine;
  if (process.platform !== "linux") return "a private engine needs Linux";
  if (process.getuid?.() !== 0) return "a private engine needs root";
  const missing = ["dockerd", "containerd", "iptables", "ip"].filter((command) => !commandPath(command));
  return missing.length > 0 ? `a private engine needs ${missing.join(", ")}` : undefined;
}

/** @param {Prepared} prepared */
function whyNoBrowserTests({ withoutEngine, withoutBrowser }) {
  return withoutEngine ?? withoutBrowser;
}

/** @returns {Promise<Tally>} */
async function check() {
  const results = await runCheckSteps({
    fix: false,
    onResult: ({ name, passed, milliseconds, output }) => {
      console.log(`  ${passed ? "✓" : "✗"} ${name} ${seconds(milliseconds)}`);
      if (!passed) console.log(output.replace(/^/gm, "    "));
    },
  });
  return results.map(({ passed }) => one(passed)).reduce(add, NOTHING);
}
