import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { run } from "../process/run.mjs";
import { CHECKOUT, inCheckout, tool } from "../setup/checkout.mjs";

/** Longer than all suites together may take, so that one that hangs is a failure and not an endless wait. */
const DEADLINE_MS = 15 * 60_000;
const SOAK_DEADLINE_MS = 4 * 60 * 60_000;

/**
 * Runs one project of vitest.config.ts in front of the user and counts its tests. A suite that ends without a report,
 * without a test, or with an error that belongs to no test, has failed.
 *
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import("./tally.mjs").Tally>}
 */
export async function runVitestSuite(name, env) {
  const report = inCheckout(".cache", "reports", `${name}.json`);
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const { code } = await run(
    tool("vitest"),
    ["run", "--project", name, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    {
      cwd: CHECKOUT,
      env,
      stdio: ["ignore", "inherit", "inherit"],
      timeout: env.OPENTIGER_SOAK === "1" ? SOAK_DEADLINE_MS : DEADLINE_MS,
      killSignal: "SIGKILL",
    },
  );
  const tally = countReport(readReport(report));
  const nothingRan = tally.passed + tally.failed + tally.skipped === 0;
  return nothingRan || (code !== 0 && tally.failed === 0) ? { ...tally, failed: tally.failed + 1 } : tally;
}

/**
 * @typedef {object} Report the part of vitest's JSON report that is counted
 * @property {{status: string, assertionResults: {status: string}[]}[]} testResults
 */

/** A file that could not be loaded has no tests, and counts as one failure. @param {Report} report */
export function countReport({ testResults }) {
  const statuses = testResults.flatMap(({ status, assertionResults }) => {
    const tests = assertionResults.map((test) => test.status);
    return status === "failed" && !tests.includes("failed") ? [...tests, "failed"] : tests;
  });
  const passed = statuses.filter((status) => status === "passed").length;
  const failed = statuses.filter((status) => status === "failed").length;
  return { passed, failed, skipped: statuses.length - passed - failed };
}

/** @param {string} path @returns {Report} */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return { testResults: [] };
  }
}
