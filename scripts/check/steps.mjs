import { existsSync } from "node:fs";
import { run } from "../process/run.mjs";
import { CHECKOUT, inCheckout, tool } from "../setup/checkout.mjs";
import { checkLockfile } from "./lockfile.mjs";

/**
 * What `npm run check` looks at beside the lock file. Each step is one tool, and independent of the others.
 *
 * They run beside each other, so none is given more than one core: the checkers of tsc and oxlint that share a program
 * would each work out the same types again, which takes twice the time of one.
 *
 * @type {readonly {name: string, tool: string, args: string[], fix?: string[]}[]}
 */
const STEPS = [
  {
    name: "format and lint (biome)",
    tool: "biome",
    args: ["check", "--error-on-warnings"],
    fix: ["--write"],
  },
  { name: "types (tsc)", tool: "tsc", args: ["--noEmit", "--singleThreaded"] },
  {
    name: "types of the pages (tsc)",
    tool: "tsc",
    args: ["--noEmit", "--singleThreaded", "-p", "packages/dashboard"],
  },
  { name: "promises (oxlint)", tool: "oxlint", args: ["--type-aware", "--deny-warnings"], fix: ["--fix"] },
  { name: "unused code (knip)", tool: "knip", args: ["--no-config-hints"] },
  { name: "one-way imports (dependency-cruiser)", tool: "depcruise", args: cruised() },
];

/**
 * @typedef {object} CheckResult
 * @property {string} name
 * @property {boolean} passed
 * @property {number} milliseconds
 * @property {string} output what the tool said
 */

/**
 * Runs all steps at the same time and reports each as it ends.
 *
 * @param {{fix: boolean, onResult: (result: CheckResult) => void}} options
 * @returns {Promise<CheckResult[]>}
 */
export function runCheckSteps({ fix, onResult }) {
  const works = [
    { name: "lock file is complete", work: async () => lockfile(fix) },
    ...STEPS.map((step) => ({ name: step.name, work: () => runTool(step, fix) })),
  ];
  return Promise.all(
    works.map(async ({ name, work }) => {
      const started = performance.now();
      const { passed, output } = await work();
      const result = { name, passed, milliseconds: performance.now() - started, output };
      onResult(result);
      return result;
    }),
  );
}

/** @param {boolean} fix */
function lockfile(fix) {
  const { missing } = checkLockfile(inCheckout("package-lock.json"), { fix });
  const output = `these are missing, mend with: npm run check -- --fix\n${missing.join("\n")}`;
  return { passed: missing.length === 0, output };
}

/** @param {typeof STEPS[number]} step @param {boolean} fix */
async function runTool(step, fix) {
  const args = fix ? [...step.args, ...(step.fix ?? [])] : step.args;
  const env = { ...process.env, GOMAXPROCS: "1" };
  const { code, stdout, stderr } = await run(tool(step.tool), args, { cwd: CHECKOUT, env });
  return { passed: code === 0, output: `${stdout}${stderr}`.trim() };
}

function cruised() {
  const folders = ["packages", "bench", "scripts", "tests"].filter((folder) =>
    existsSync(inCheckout(folder)),
  );
  return ["--config", ".dependency-cruiser.cjs", ...folders];
}
