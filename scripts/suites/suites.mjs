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
 * @property {boolean} [needsImage]
 * @property {boolean} [needsBrowser]
 * @property {boolean} [needsTerminal] some of its tests do, and skip themselves where there is none
 * @property {string} [node] the version that its tests run on, if that is not the one that runs this
 * @property {(prepared: Prepared) => string | undefined} [skipReason] why it cannot run here, if it cannot
 * @property {string} [beside] the suite that leaves a processor idle which this one can use; its words are kept until that has ended
 * @property {(env: NodeJS.ProcessEnv, say?: (line: string) => void) => Promise<Tally>} run in front of the user, unless its
 *   lines are wanted
 */

/** Everything `npm test` runs, the quick ones first. @type {readonly Suite[]} */
export const SUITES = [
  { name: "check", needsEngine: false, run: check },
  { name: "node24", needsEngine: false, beside: "check", run: (_env, say = print) => checkNodeVersions(say) },
  { name: "unit", needsEngine: false, run: (env, say) => runVitestSuite("unit", env, say) },
  { ...withEngine("engine"), needsImage: false, beside: "unit", skipReason: whyNoPrivateEngine },
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
  run: async (env, say) =>
    runVitestSuite(name, { ...env, PATH: await node24Path(env), OPENTIGER_SOAK: "" }, say),
}));

/** @param {NodeJS.ProcessEnv} env */
async function node24Path({ PATH = "" }) {
  return `${dirname(await node24Binary(print))}:${PATH}`;
}

/** @param {string} name @returns {Suite} */
function withEngine(name) {
  return {
    name,
    needsEngine: true,
    needsImage: true,
    needsTerminal: name === "e2e",
    skipReason: ({ withoutEngine }) => withoutEngine,
    run: (env, say) => runVitestSuite(name, env, say),
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

/** @param {NodeJS.ProcessEnv} _env @returns {Promise<Tally>} */
async function check(_env, say = print) {
  const results = await runCheckSteps({
    fix: false,
    onResult: ({ name, passed, milliseconds, output }) => {
      say(`  ${passed ? "✓" : "✗"} ${name} ${seconds(milliseconds)}`);
      if (!passed) say(output.replace(/^/gm, "    "));
    },
  });
  return results.map(({ passed }) => one(passed)).reduce(add, NOTHING);
}

/** @param {string} line */
function print(line) {
  console.log(line);
}
