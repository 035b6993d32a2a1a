import type { CheckResult, CheckRound } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import { compareChecks, redChecks } from "./compare.ts";

type Tests = Record<string, "passed" | "failed" | "skipped">;

/** A command with tests, as runChecks tells of it. */
function suite(tests: Tests, exitCode = Object.values(tests).includes("failed") ? 1 : 0): CheckResult[] {
  const isRed = exitCode !== 0 || Object.values(tests).includes("failed");
  const green = Object.values(tests).includes("passed") ? "passed" : "missing";
  return [
    { command: "test", test: null, result: isRed ? "failed" : green, exitCode, output: "end", durationMs: 1 },
    ...Object.entries(tests).map(([test, result]) => ({
      command: "test",
      test,
      result,
      exitCode: null,
      output: "",
      durationMs: 1,
    })),
  ];
}

function plain(command: string, result: "passed" | "failed"): CheckResult {
  return { command, test: null, result, exitCode: result === "passed" ? 0 : 1, output: "", durationMs: 1 };
}

function round(...results: (CheckResult | CheckResult[])[]): CheckRound {
  return { tree: "as_is", commit: "c", results: results.flat() };
}

function compare(before: CheckRound | null, after: CheckRound, mayChange?: string[]) {
  const { broken, ...rest } = compareChecks({ before, after, ...(mayChange ? { mayChange } : {}) });
  return { ...rest, broken: broken.map(({ test, command, result }) => `${test ?? command} ${result}`) };
}

const green = { a: "passed", b: "passed" } as const;

describe("a round in which everything is as green as before", () => {
  it("is ok, with more tests too", () => {
    expect(compare(round(suite(green)), round(suite(green)))).toMatchObject({
      ok: true,
      broken: [],
      missing: [],
    });
    expect(compare(round(suite(green)), round(suite({ ...green, c: "passed" })))).toMatchObject({ ok: true });
    expect(compare(round(plain("make", "passed")), round(plain("make", "passed")))).toMatchObject({
      ok: true,
    });
  });

  it("is ok without a round before it", () => {
    expect(compare(null, round(suite(green), plain("make", "passed")))).toMatchObject({ ok: true });
  });
});

describe("what speaks against a change", () => {
  const before = round(suite({ ...green, left: "skipped", red: "failed" }), plain("make", "passed"));

  it.each<[string, CheckRound, string[]]>([
    [
      "a test that is red now",
      round(suite({ a: "failed", b: "passed", red: "failed" }), plain("make", "passed")),
      ["a failed"],
    ],
    [
      "a test that is gone",
      round(suite({ a: "passed", red: "failed" }), plain("make", "passed")),
      ["b missing"],
    ],
    [
      "a test under another name",
      round(suite({ a: "passed", b2: "passed", red: "failed" }), plain("make", "passed")),
      ["b missing"],
    ],
    [
      "a test that is skipped now",
      round(suite({ a: "passed", b: "skipped", red: "failed" }), plain("make", "passed")),
      ["b skipped"],
    ],
    [
      "a red test that is skipped now",
      round(suite({ ...green, red: "skipped" }), plain("make", "passed")),
      ["red skipped"],
    ],
    [
      "a new test that is red",
      round(suite({ ...green, red: "failed", n: "failed" }), plain("make", "passed")),
      ["n failed"],
    ],
    [
      "a skipped test that is red now",
      round(suite({ ...green, red: "failed", left: "failed" }), plain("make", "passed")),
      ["left failed"],
    ],
    [
      "a command that is red now",
      round(suite({ ...green, red: "failed" }), plain("make", "failed")),
      ["make failed"],
    ],
    ["a command that was not run", round(suite({ ...green, red: "failed" })), ["make missing"]],
  ])("is %s", (_what, after, broken) => {
    expect(compare(before, after)).toMatchObject({ ok: false, broken });
  });

  it("is a run without any of its tests, once and not for each of them", () => {
    const none = compare(before, round(suite({}), plain("make", "passed")));
    expect(none).toMatchObject({
      ok: false,
      broken: ["test missing"],
      missing: ["test: red", "test: a", "test: b"],
    });
    const broken = compareChecks({ before, after: round(suite({})) }).broken.map(({ output }) => output);
    expect(broken).toContain("end\n2 tests that were green before were not run.");
  });

  it("is a run whose report is gone although it says that all is well", () => {
    const silent = round(plain("test", "passed"), plain("make", "passed"));
    expect(compare(before, silent)).toMatchObject({ ok: false, broken: ["test missing"] });
  });

  it("is a failed status that no test explains any more: somebody else wrote the report", () => {
    expect(
      compare(before, round(suite({ ...green, red: "passed" }, 1), plain("make", "passed"))),
    ).toMatchObject({
      ok: false,
      broken: ["test failed"],
    });
  });

  it("is a good status in spite of a red test: the script was taught to ignore it", () => {
    expect(
      compare(before, round(suite({ ...green, red: "failed" }, 0), plain("make", "passed"))),
    ).toMatchObject({
      ok: false,
      broken: ["test failed"],
    });
  });
});

describe("what was red before", () => {
  it("is no evidence, neither for nor against", () => {
    const before = round(suite({ a: "passed", red: "failed" }));
    expect(compare(before, round(suite({ a: "passed", red: "failed" })))).toMatchObject({
      ok: true,
      evidence: true,
      redBefore: ["test", "test: red"],
    });
    expect(redChecks(before)).toEqual(["test", "test: red"]);
  });

  it("may become green, or go", () => {
    const before = round(suite({ a: "passed", red: "failed" }));
    expect(compare(before, round(suite({ a: "passed", red: "passed" })))).toMatchObject({
      ok: true,
      redBefore: [],
    });
    expect(compare(before, round(suite({ a: "passed" })))).toMatchObject({
      ok: true,
      missing: ["test: red"],
    });
  });

  it("leaves nothing to go by where there is nothing else", () => {
    const before = round(plain("make", "failed"));
    expect(compare(before, round(plain("make", "failed")))).toEqual({
      ok: false,
      evidence: false,
      broken: [],
      missing: [],
      redBefore: ["make"],
      unknown: [],
    });
  });

  it("may contradict itself as it did before, say for lack of coverage", () => {
    const before = round(suite(green, 1));
    expect(compare(before, round(suite(green, 1)))).toMatchObject({ ok: true, broken: [] });
  });
});

describe("a command whose time was up before", () => {
  const slow: CheckResult = { ...plain("test", "failed"), exitCode: 124 };
  const before = round(slow, plain("make", "passed"));

  it.each<[string, CheckResult[]]>([
    ["fails", [plain("test", "failed")]],
    ["has red tests", suite({ a: "failed" })],
    ["takes too long again", [slow]],
  ])("and that now %s is neither for the change nor against it, and excuses nothing", (_what, after) => {
    expect(compare(before, round(after, plain("make", "passed")))).toMatchObject({
      ok: false,
      unknown: ["test"],
      broken: [],
      redBefore: [],
    });
  });

  it("is mended where it is green now", () => {
    expect(compare(before, round(suite(green), plain("make", "passed")))).toMatchObject({
      ok: true,
      unknown: [],
    });
  });

  it("takes nothing from what is broken besides", () => {
    expect(compare(before, round(plain("test", "failed"), plain("make", "failed")))).toMatchObject({
      ok: false,
      broken: ["make failed"],
    });
  });
});

describe("a round without checks", () => {
  it("is not ok: nothing speaks for it", () => {
    expect(compare(null, round())).toMatchObject({ ok: false, evidence: false, broken: [] });
    expect(compare(round(), round())).toMatchObject({ ok: false, evidence: false });
  });

  it("of which all tests are skipped neither", () => {
    expect(compare(null, round(suite({ a: "skipped" })))).toMatchObject({
      ok: false,
      broken: ["test missing"],
    });
  });
});

describe("tests in a file that may be changed", () => {
  const before = round(suite({ "test/a.js > one": "passed", "test/b.js > two": "passed", bare: "passed" }));

  it("may be renamed or go, and that is said", () => {
    const after = round(suite({ "test/a.js > uno": "passed", "test/b.js > two": "passed", bare: "passed" }));
    expect(compare(before, after, ["test/a.js"])).toMatchObject({
      ok: true,
      missing: ["test: test/a.js > one"],
    });
    expect(compare(before, after, ["test/c.js"])).toMatchObject({ ok: false });
  });

  it("excuse no others, and none whose file is not known", () => {
    const after = round(suite({ "test/a.js > one": "passed" }));
    expect(compare(before, after, ["test/a.js"]).broken).toEqual(["test/b.js > two missing", "bare missing"]);
    expect(compare(before, after, ["**"]).broken).toEqual(["bare missing"]);
  });

  it("must be green all the same", () => {
    const after = round(suite({ "test/a.js > one": "failed", "test/b.js > two": "passed", bare: "passed" }));
    expect(compare(before, after, ["test/a.js"]).broken).toContain("test/a.js > one failed");
  });
});
