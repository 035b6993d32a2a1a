import type { CheckResult, CheckRound } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import { pointsOfChecks, testsFirst } from "./round-words.ts";

const green = round({ "npm test": "passed" });

describe("tests that were written before their code", () => {
  it("have to make something red that was not", () => {
    expect(testsFirst(green, round({ "npm test": "failed" }))).toMatchObject({ points: [], trouble: null });
    expect(testsFirst(green, green).points[0]?.text).toMatch(/must fail now/);
  });

  it("cannot be told from what was red before, where only the command speaks", () => {
    const red = round({ "npm test": "failed" });
    expect(testsFirst(red, red)).toMatchObject({ points: [], trouble: expect.stringMatching(/red before/) });
  });

  it("can be told from it by a reporter", () => {
    const before = round({ "npm test": "failed", "npm test|old": "failed" });
    const after = round({ "npm test": "failed", "npm test|old": "failed", "npm test|new": "failed" });
    expect(testsFirst(before, after)).toMatchObject({
      points: [],
      trouble: null,
      redBefore: ["npm test", "npm test: old"],
      notes: [expect.stringContaining("npm test: new")],
    });
  });

  it("show nothing where they only take too long, or nobody knows how it stood before", () => {
    const slow = timedOut("npm test");
    expect(testsFirst(green, slow)).toMatchObject({
      points: [],
      trouble: expect.stringMatching(/longer than it may/),
    });
    const red = round({ "npm test": "failed", "npm test|new": "failed" });
    expect(testsFirst(slow, red)).toMatchObject({
      points: [],
      trouble: expect.stringMatching(/longer than it may/),
    });
    expect(testsFirst(slow, green).points[0]?.text).toMatch(/must fail now/);
    const both = { ...slow, results: [...slow.results, ...round({ "make check": "failed" }).results] };
    expect(testsFirst(green, both)).toMatchObject({ trouble: null, notes: [expect.stringMatching(/check/)] });
  });

  it("may skip none that was green, and say which are not told of any more", () => {
    const before = round({ "npm test": "passed", "npm test|a": "passed", "npm test|b": "passed" });
    const skipping = round({ "npm test": "failed", "npm test|a": "skipped", "npm test|new": "failed" });
    expect(testsFirst(before, skipping).points[0]?.text).toMatch(/^npm test: a: skipped/);
    const unheard = round({ "npm test": "failed", "npm test|b": "passed", "npm test|new": "failed" });
    expect(testsFirst(before, unheard)).toMatchObject({
      points: [],
      notes: [expect.stringContaining("red now"), "green before, and not told of any more: npm test: a"],
    });
  });
});

it("a check that is broken is told with the end of what it printed, and in which round", () => {
  const [result] = round({ "npm test": "failed" }).results;
  const output = `${"x".repeat(9_000)}expected 1, got 2\n`;
  const [point] = pointsOfChecks(result ? [{ ...result, output }] : [], "restored");
  expect(point).toMatchObject({
    by: "verify",
    text: expect.stringMatching(/as they were before[\s\S]*expected 1, got 2$/),
  });
  expect(point?.text.length).toBeLessThan(4_000);
});

function timedOut(command: string): CheckRound {
  const { results, ...about } = round({ [command]: "failed" });
  return { ...about, results: results.map((result) => ({ ...result, exitCode: 124 })) };
}

/** By `command` or `command|test`. */
function round(results: Readonly<Record<string, CheckResult["result"]>>): CheckRound {
  return {
    tree: "as_is",
    commit: "c",
    results: Object.entries(results).map(([name, result]): CheckResult => {
      const [command = "", test = null] = name.split("|");
      return { command, test, result, exitCode: result === "passed" ? 0 : 1, output: "", durationMs: 1 };
    }),
  };
}
