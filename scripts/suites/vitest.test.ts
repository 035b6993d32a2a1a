import { describe, expect, test } from "vitest";
import { add, one, sentence, strict } from "./tally.mjs";
import { complaintsOf, countReport } from "./vitest.mjs";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});

describe("counting a suite", () => {
  test("adds up the tests of all files by how they ended", () => {
    const report = {
      testResults: [file("passed", "passed", "skipped"), file("failed", "failed", "passed", "todo")],
    };
    expect(countReport(report)).toEqual({ passed: 2, failed: 1, skipped: 2 });
  });

  test("a file that could not be loaded is one failure", () => {
    expect(countReport({ testResults: [file("failed")] })).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  test("a file whose set-up or clean-up failed is a failure although its tests passed", () => {
    expect(countReport({ testResults: [file("failed", "passed")] })).toEqual({
      passed: 1,
      failed: 1,
      skipped: 0,
    });
  });
});

describe("what failed", () => {
  test("is said with its name and the beginning of its message", () => {
    const test = {
      status: "failed",
      fullName: "a task is done",
      failureMessages: ["Error: it is not\n at x"],
    };
    const report = { testResults: [{ status: "failed", name: "a.test.ts", assertionResults: [test] }] };
    expect(complaintsOf(report)).toEqual([expect.stringMatching(/a task is done\n {4}Error: it is not/)]);
  });

  test("is a file that could not be loaded, too", () => {
    const report = {
      testResults: [{ status: "failed", name: "b.test.ts", message: "no such module", assertionResults: [] }],
    };
    expect(complaintsOf(report)).toEqual([expect.stringContaining("no such module")]);
  });
});

describe("the last line", () => {
  const tally = add(add(one(true), one(true)), { passed: 0, failed: 0, skipped: 3 });

  test("names what was skipped", () => {
    expect(sentence(strict(tally, {}))).toBe("2 passed, 0 failed, 3 skipped");
  });

  test("counts what was skipped as failed where everything is required", () => {
    expect(sentence(strict(tally, { OPENTIGER_REQUIRE_ALL: "1" }))).toBe("2 passed, 3 failed");
  });
});
