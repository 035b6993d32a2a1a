import { describe, expect, it } from "vitest";
import { Unreadable } from "./reported-test.ts";
import { readTap } from "./tap.ts";

/** On a busy machine too; what grows with the square of the length takes minutes. */
const aMoment = 10_000;

const results = (text: string) => readTap(text).map(({ name, result }) => `${name}: ${result}`);

describe("a TAP report", () => {
  it("of node has subtests under the names of their tests", () => {
    const report = `TAP version 13
# ok 1 - printed by a test
# Subtest: a \\# b
ok 1 - a \\# b
  ---
  duration_ms: 1.5
  ...
# Subtest: suite
    # Subtest: in
    ok 1 - in
      ---
      duration_ms: 1
      ...
    # Subtest: bad
    not ok 2 - bad
      ---
      error: '1 == 2'
      stack: |-
        ok 7 - in a diagnosis
      ...
    1..2
not ok 2 - suite
  ---
  error: '1 subtest failed'
  ...
ok 3 - left # SKIP for now
not ok 4 - later # TODO
1..4
# tests 5
`;
    expect(results(report)).toEqual([
      "a # b: passed",
      "suite > in: passed",
      "suite > bad: failed",
      "left: skipped",
      "later: skipped",
    ]);
    expect(readTap(report)[0]?.durationMs).toBe(1.5);
    expect(readTap(report)[2]?.output).toContain("error: '1 == 2'");
  });

  it("of node tells of the tests of a suite within a suite, also where these come first", () => {
    const report = `# Subtest: outer
    # Subtest: suite
        # Subtest: in
        ok 1 - in
        # Subtest: left
        ok 2 - left # SKIP
        1..2
    ok 1 - suite
    1..1
ok 1 - outer
1..1
`;
    expect(results(report)).toEqual(["outer > suite > in: passed", "outer > suite > left: skipped"]);
  });

  it("tells of a test that failed by itself although its subtests did not", () => {
    expect(results("    ok 1 - x\n    1..1\nnot ok 1 - outer\n1..1\n")).toEqual([
      "outer > x: passed",
      "outer: failed",
    ]);
  });

  it("may have its plan in front, no numbers, no names and other lines between", () => {
    expect(results("1..2\nstarting\nok\nwhatever\nnot ok - second\n")).toEqual([
      "test 1: passed",
      "second: failed",
    ]);
  });

  it("has a diagnosis right behind a result only: other lines that look like one hide nothing", () => {
    expect(results("1..2\n  ---\nnot ok 1 - a\n  ...\nok 2 - b\n")).toEqual(["a: failed", "b: passed"]);
    expect(results("ok 1 - a\n      ---\nnot ok 2 - b\n      ...\n1..2\n")).toEqual([
      "a: passed",
      "b: failed",
    ]);
    expect(
      results("ok 1 - a\n  ---\n  ...\n  ---\nnot ok 2 - b\n  ---\n\n  error: no\n  ...\n1..2\n"),
    ).toEqual(["a: passed", "b: failed"]);
  });

  it("of no tests has none", () => {
    expect(results("TAP version 13\n1..0 # skip nothing to do\n")).toEqual([]);
  });

  it.each([
    ["has no plan", "ok 1 - a\n"],
    ["has fewer tests than planned", "1..2\nok 1 - a\n"],
    ["has more tests than planned", "1..1\nok 1 - a\nok 2 - b\n"],
    ["numbers a test twice", "ok 1 - a\nok 1 - a\n1..2\n"],
    ["leaves a number out", "ok 1 - a\nok 3 - c\n1..2\n"],
    ["has a line that a test printed", "ok 1 - a\nok 2 - b\nok 2 - b\n1..2\n"],
    ["has two plans", "1..1\nok 1 - a\n1..1\n"],
    ["was given up", "1..2\nok 1 - a\nBail out! no database\n"],
    ["ends within a subtest", "1..1\n    ok 1 - x\n"],
    ["leaves out what a subtest is of", "        ok 1 - x\nok 1 - a\n1..1\n"],
    ["ends within a diagnosis", "1..1\nok 1 - a\n  ---\n  x: 1\n"],
    ["has a subtest with a wrong plan", "    ok 1 - x\n    1..2\nok 1 - a\n1..1\n"],
    ["has a result within a diagnosis", "1..2\nok 1 - a\n  ---\nnot ok 1 - a\n  ...\nok 2 - b\n"],
    [
      "has a result of a subtest within a diagnosis",
      "    ok 1 - x\n      ---\n    not ok 1 - x\n      ...\n    1..1\nok 1 - a\n1..1\n",
    ],
    ["is empty", ""],
  ])("that %s is refused", (_what, report) => {
    expect(() => readTap(report)).toThrow(Unreadable);
  });

  it.each([
    ["a gap", `ok 1 a${" ".repeat(4_000_000)}b\n1..1\n`],
    ["marks", `ok 1 a${" #".repeat(2_000_000)}b\n1..1\n`],
  ])("with millions of characters as %s is read in a moment", (_what, report) => {
    const start = performance.now();
    expect(readTap(report)).toMatchObject([{ name: expect.stringMatching(/^a/), result: "passed" }]);
    expect(performance.now() - start).toBeLessThan(aMoment);
  });

  it.each([
    ["many lines", "  at a line of it\n".repeat(100_000)],
    ["a long line", `  ${"x".repeat(1_000_000)}\n`],
  ])("with %s about a failure is told of by the first of it", (_what, diagnosis) => {
    const [test] = readTap(`not ok 1 - a\n  ---\n${diagnosis}  ...\n1..1\n`);
    expect(test?.output.length).toBeGreaterThan(1_000);
    expect(test?.output.length).toBeLessThan(10_000);
  });

  it("that nests without an end is told of as deep as anybody nests", () => {
    const depths = [...Array(100).keys()];
    const plans = depths.map((depth) => `${"    ".repeat(depth)}1..1\n`);
    const tests = depths.map((depth) => `${"    ".repeat(depth)}ok 1 - ${depth}\n`);
    const [test, ...others] = results([...plans, ...tests.toReversed()].join(""));
    expect(test).toMatch(/^0 > 1 > .* > 32: passed$/);
    expect(others).toEqual([]);
  });

  it("has as many subtests as there are, however they are grouped", () => {
    const group = `${"        ok\n".repeat(50_000)}    ok\n`;
    expect(readTap(`${group.repeat(3)}ok\n1..1\n`)).toHaveLength(150_000);
  });

  it("of millions of tests is refused before it fills the memory", () => {
    expect(() => readTap("ok\n".repeat(1_000_000))).toThrow(/more than/);
  });
});
