import type { CheckResult, ExecExit } from "@opentiger/schema";
import type { Report } from "./report.ts";
import type { ReportedTest } from "./reporters/reported-test.ts";
import { fullName } from "./test-name.ts";

/** How a command ended. */
export interface CheckedCommand {
  command: string;
  exit: ExecExit;
  exitCode: number;
  /** The end of what it printed, redacted. */
  output: string;
  durationMs: number;
}

/**
 * The command's own result, and behind it that of each test. With a report the command has passed only where both agree:
 * its status is 0, the report is whole, no test in it failed and at least one was run.
 */
export function checkResults(checked: CheckedCommand, report: Report | undefined): CheckResult[] {
  const { command, exitCode, durationMs } = checked;
  const tests = report?.readable ? numbered(report.tests) : [];
  const { result, remark } = judged(checked, report);
  const output = remark === "" ? checked.output : `${checked.output.trimEnd()}\n${remark}`.trimStart();
  const own: CheckResult = { command, test: null, result, exitCode, output, durationMs };
  return [own, ...tests.map((test) => ({ command, exitCode: null, ...test }))];
}

function judged(
  { exit, exitCode, output }: CheckedCommand,
  report: Report | undefined,
): { result: CheckResult["result"]; remark: string } {
  if (exit.reason === "timeout") return { result: "failed", remark: "It was ended because its time was up." };
  if (exit.reason === "memory")
    return { result: "failed", remark: "It was ended because it used up its memory." };
  if (report && !report.readable) {
    return { result: "failed", remark: `It left no report that can be read: the report ${report.why}.` };
  }
  if (exitCode !== 0) return { result: "failed", remark: "" };
  if (!report) return ranNothing(output) ? nothingRan : { result: "passed", remark: "" };
  const failed = report.tests.filter(({ result }) => result === "failed").length;
  if (failed > 0) {
    return {
      result: "failed",
      remark: `It ended with status 0, and its report tells of ${failed} failed tests.`,
    };
  }
  if (!report.tests.some(({ result }) => result === "passed")) {
    return nothingRan;
  }
  return { result: "passed", remark: "" };
}

const nothingRan = { result: "missing", remark: "It ran no test." } as const;

/** Python's own runner, before its version 3.12, is content with finding no test at all; so are those made from it. */
function ranNothing(output: string): boolean {
  return (
    /(?:^|\n)Ran 0 tests in [\d.]+s\s+(?:OK|NO TESTS RAN)\s*$/.test(output) &&
    !/^Ran [1-9]\d* tests? in /m.test(output)
  );
}

const best = { passed: 0, skipped: 1, failed: 2 } as const satisfies Record<ReportedTest["result"], number>;

type TestResult = Pick<CheckResult, "result" | "output" | "durationMs"> & { test: string };

/**
 * Tests of one name are told apart by a number, those that passed first: so fewer of them, or fewer that pass, are seen
 * whatever their order is.
 */
function numbered(tests: readonly ReportedTest[]): TestResult[] {
  const byName = new Map<string, ReportedTest[]>();
  for (const test of tests) {
    const name = fullName(test);
    const same = byName.get(name);
    if (same) same.push(test);
    else byName.set(name, [test]);
  }
  return [...byName].flatMap(([name, same]) =>
    same
      .toSorted((one, other) => best[one.result] - best[other.result])
      .map(({ result, output, durationMs }, index) => ({
        test: index === 0 ? name : `${name} (${index + 1})`,
        result,
        output,
        durationMs,
      })),
  );
}
