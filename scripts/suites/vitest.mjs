import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { run } from "../process/run.mjs";
import { CHECKOUT, inCheckout, tool } from "../setup/checkout.mjs";

/** Longer than any suite takes on a busy machine, so that one that hangs is a failure and not an endless wait. */
const DEADLINE_MS = 40 * 60_000;
const SOAK_DEADLINE_MS = 4 * 60 * 60_000;

/**
 * Runs one project of vitest.config.ts in front of the user and counts its tests. A suite that ends without a report,
 * without a test, or with an error that belongs to no test, has failed.
 *
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 * @param {(line: string) => void} [onLine] given its lines, which the user then does not see
 * @returns {Promise<import("./tally.mjs").Tally>}
 */
export async function runVitestSuite(name, env, onLine) {
  const report = inCheckout(".cache", "reports", `${name}.json`);
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const { code } = await run(
    tool("vitest"),
    ["run", "--project", name, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    {
      cwd: CHECKOUT,
      env,
      ...(onLine ? { onLine } : { stdio: ["ignore", "inherit", "inherit"] }),
      timeout: env.OPENTIGER_SOAK === "1" ? SOAK_DEADLINE_MS : DEADLINE_MS,
      killSignal: "SIGKILL",
    },
  );
  const read = readReport(report);
  const tally = { ...countReport(read), complaints: complaintsOf(read), times: timesOf(read) };
  const nothingRan = tally.passed + tally.failed + tally.skipped === 0;
  return nothingRan || (code !== 0 && tally.failed === 0) ? { ...tally, failed: tally.failed + 1 } : tally;
}

/**
 * @typedef {object} TestResult
 * @property {string} status
 * @property {string} [fullName]
 * @property {number | null} [duration]
 * @property {string[] | null} [failureMessages]
 */

/**
 * @typedef {object} Report the part of vitest's JSON report that is counted
 * @property {{status: string, name?: string, message?: string, assertionResults: TestResult[]}[]} testResults
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

/** @param {Report} report */
function timesOf({ testResults }) {
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .map(({ fullName = "", duration }) => ({ name: fullName, milliseconds: duration ?? 0 }));
}

/** Enough of a failure to know where to look. */
const COMPLAINT_LINES = 12;

/** What failed, with the beginning of its message: the last lines of a long run have to say it. @param {Report} report */
export function complaintsOf({ testResults }) {
  return testResults.flatMap(({ name = "", message = "", status, assertionResults }) => {
    const file = relative(CHECKOUT, name);
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (status === "failed" && failed.length === 0) return [complaint(file, message)];
    return failed.map(({ fullName = "", failureMessages }) =>
      complaint(`${file} > ${fullName}`, (failureMessages ?? []).join("\n")),
    );
  });
}

/** @param {string} about @param {string} message */
function complaint(about, message) {
  const lines = stripVTControlCharacters(message).split("\n").slice(0, COMPLAINT_LINES);
  return [about, ...lines.map((line) => `    ${line}`)].join("\n");
}

/** @param {string} path @returns {Report} */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return { testResults: [] };
  }
}
