import type { ReporterFormat } from "@opentiger/schema";
import { readJunit } from "./reporters/junit.ts";
import { maxTests, type ReportedTest, Unreadable } from "./reporters/reported-test.ts";
import { readTap } from "./reporters/tap.ts";
import { readVitestJson } from "./reporters/vitest-json.ts";
import { plainName } from "./test-name.ts";

/** A report is believed as a whole or not at all: a part of one would hide tests. */
export type Report = { readable: true; tests: ReportedTest[] } | { readable: false; why: string };

/** What was written by untrusted code is read in one go: so much takes a moment and some memory, and no more. */
export const maxReportBytes = 16 * 1024 * 1024;

/** How much of what a failed test says is kept, and of how many; of the rest only that they failed. */
const maxTestOutput = 2_000;
const maxTestOutputs = 200;

const readers = { junit: readJunit, tap: readTap, "vitest-json": readVitestJson } as const satisfies Record<
  ReporterFormat,
  (text: string) => Iterable<ReportedTest>
>;

/** How much is said of why a report cannot be read, which may quote it. */
const maxReason = 300;

export interface ReportPlace {
  /** Paths below it come out as relative to it, since it is another one for each clone. */
  cwd: string;
  /** Cleans what tests say before it is cut: half of a secret is known to nobody. */
  redact: (text: string) => string;
}

/** Reads what a reporter wrote. */
export function readReport(format: ReporterFormat, bytes: Buffer, { cwd, redact }: ReportPlace): Report {
  if (bytes.length > maxReportBytes)
    return { readable: false, why: `is larger than ${maxReportBytes} bytes` };
  try {
    const tests = bounded(readers[format](bytes.toString("utf8").replace(/^\uFEFF/, "")), redact);
    return { readable: true, tests: tests.map((test) => tidied(test, cwd, redact)) };
  } catch (error) {
    if (error instanceof Unreadable) {
      return { readable: false, why: redact(error.message).slice(0, maxReason) };
    }
    throw error;
  }
}

function bounded(tests: Iterable<ReportedTest>, redact: (text: string) => string): ReportedTest[] {
  const kept: ReportedTest[] = [];
  for (const test of tests) {
    if (kept.length >= maxTests) throw new Unreadable(`tells of more than ${maxTests} tests`);
    kept.push(test);
  }
  let outputs = 0;
  return kept.map((test) => {
    if (test.output === "") return test;
    outputs += 1;
    const output = outputs > maxTestOutputs ? "" : redact(test.output).slice(0, maxTestOutput);
    return { ...test, output };
  });
}

function tidied(test: ReportedTest, cwd: ReportPlace["cwd"], redact: ReportPlace["redact"]): ReportedTest {
  const within = (text: string): string => redact(text.replaceAll(`${cwd}/`, ""));
  return {
    ...test,
    name: plainName(within(test.name)),
    file: test.file === null ? null : plainName(within(test.file)),
    durationMs: Number.isFinite(test.durationMs) && test.durationMs > 0 ? test.durationMs : 0,
  };
}
