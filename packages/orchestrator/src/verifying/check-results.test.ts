import type { ExecExit } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import { checkResults } from "./check-results.ts";
import type { Report } from "./report.ts";

const exited: ExecExit = { code: 0, signal: null, reason: "exited" };

function own(exitCode: number, report?: Report, exit = exited) {
  const [command] = checkResults({ command: "x", exit, exitCode, output: "said", durationMs: 1 }, report);
  return command;
}

function report(...results: ("passed" | "failed" | "skipped")[]): Report {
  const tests = results.map((result, index) => ({
    file: null,
    name: `t${index}`,
    result,
    output: "",
    durationMs: 0,
  }));
  return { readable: true, tests };
}

describe("a command", () => {
  it("without a reporter has passed with status 0, and with no other", () => {
    expect(own(0)?.result).toBe("passed");
    expect(own(1)?.result).toBe("failed");
  });

  it("with a reporter has passed where both say so", () => {
    expect(own(0, report("passed", "skipped"))?.result).toBe("passed");
    expect(own(1, report("passed"))?.result).toBe("failed");
    expect(own(0, report("passed", "failed"))).toMatchObject({
      result: "failed",
      output: "said\nIt ended with status 0, and its report tells of 1 failed tests.",
    });
  });

  it("that ran no test is no evidence", () => {
    expect(own(0, report())).toMatchObject({ result: "missing", output: "said\nIt ran no test." });
    expect(own(0, report("skipped"))?.result).toBe("missing");
  });

  it("that says as unittest does that it ran no test is no evidence, although its status is 0", () => {
    const ran = (...counts: number[]) =>
      counts.map((n) => `${"-".repeat(70)}\nRan ${n} test${n === 1 ? "" : "s"} in 0.001s\n\nOK\n`).join("\n");
    const result = (output: string) =>
      checkResults({ command: "x", exit: exited, exitCode: 0, output, durationMs: 1 }, undefined)[0]?.result;
    expect(result(ran(0))).toBe("missing");
    expect(result(ran(0, 0))).toBe("missing");
    expect(result(`${ran(0).replace("OK", "NO TESTS RAN")}`)).toBe("missing");
    expect(result(ran(1))).toBe("passed");
    expect(result(ran(10, 0))).toBe("passed");
    expect(result(`${ran(0)}and another program checked the rest\n`)).toBe("passed");
  });

  it("whose report cannot be read has failed, whatever its status is", () => {
    const unreadable: Report = { readable: false, why: "was not written" };
    expect(own(0, unreadable)).toMatchObject({
      result: "failed",
      output: expect.stringMatching(/was not written/),
    });
  });

  it("that took too long or too much memory has failed, and says so", () => {
    expect(own(124, undefined, { code: null, signal: "SIGKILL", reason: "timeout" })?.output).toMatch(
      /time was up/,
    );
    expect(own(137, report("passed"), { code: null, signal: "SIGKILL", reason: "memory" })).toMatchObject({
      result: "failed",
      output: expect.stringMatching(/memory/),
    });
  });
});

describe("tests of one name", () => {
  it("are told apart by a number, those that passed first", () => {
    const tests = (["failed", "passed", "skipped"] as const).map((result) => ({
      file: "a.js",
      name: "same",
      result,
      output: "",
      durationMs: 0,
    }));
    const [, ...results] = checkResults(
      { command: "x", exit: exited, exitCode: 1, output: "", durationMs: 1 },
      { readable: true, tests },
    );
    expect(results.map(({ test, result }) => `${test}: ${result}`)).toEqual([
      "a.js > same: passed",
      "a.js > same (2): skipped",
      "a.js > same (3): failed",
    ]);
  });
});
