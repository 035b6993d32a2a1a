import { describe, expect, it } from "vitest";
import { readReport } from "./report.ts";

const place = { cwd: "/w", redact: (text: string) => text.replaceAll("top-secret", "[redacted]") };

/** On a busy machine too; what grows with the square of the length takes minutes. */
const aMoment = 30_000;

const many = 20_000;
const long = "a".repeat(4_000_000);

describe("a report", () => {
  it.each([
    ["tap", `${"    ok\n".repeat(many)}ok 1 ${long}\n1..1\n`],
    ["junit", `<testsuite name="${long}">${'<testcase name="a"/>'.repeat(many)}</testsuite>`],
    ["junit", `<testsuite name="s" file="${long}">${'<testcase name="a"/>'.repeat(many)}</testsuite>`],
    [
      "vitest-json",
      `{"testResults":[{"name":"${long}","status":"passed","assertionResults":[${Array.from({ length: many }, () => '{"title":"a","status":"passed"}').join()}]}]}`,
    ],
  ] as const)(
    "of %s in which many tests share a name of millions of characters is read in a moment",
    (format, text) => {
      const start = performance.now();
      const report = readReport(format, Buffer.from(text), place);
      expect(report).toMatchObject({ readable: true });
      expect(report.readable && report.tests.length).toBe(many);
      expect(performance.now() - start).toBeLessThan(aMoment);
    },
  );

  it("keeps of each failure only so much, and of thousands that they failed", () => {
    const failed = `<testcase name="a"><failure>${"x".repeat(5_000)}</failure></testcase>`;
    const text = `<testsuite name="s">${failed.repeat(1_000)}</testsuite>`;
    const report = readReport("junit", Buffer.from(text), place);
    const tests = report.readable ? report.tests : [];
    expect(tests.filter(({ result }) => result === "failed")).toHaveLength(1_000);
    expect(tests[0]?.output).toMatch(/^x{1000,3000}$/);
    expect(tests.at(-1)?.output).toBe("");
  });

  it.each([
    ["bytes", `<testsuite name="s"><!--${" ".repeat(16 * 1024 * 1024)}--></testsuite>`, /larger than/],
    ["tests", `<testsuite name="s">${'<testcase name="a"/>'.repeat(50_001)}</testsuite>`, /more than/],
  ])("of too many %s is not believed", (_what, text, why) => {
    const report = readReport("junit", Buffer.from(text), place);
    expect(report).toEqual({ readable: false, why: expect.stringMatching(why) });
  });

  it("tells of a failure without secrets, also where it is cut", () => {
    const failed = `<testcase name="a"><failure>${"x".repeat(1_995)}top-secret</failure></testcase>`;
    const text = `<testsuite name="s">${failed}</testsuite>`;
    const report = readReport("junit", Buffer.from(text), place);
    expect(JSON.stringify(report)).not.toContain("top-");
  });

  it("keeps names apart that differ only where they are too long to be kept", () => {
    const suite = (end: string) => `<testsuite name="${long}${end}"><testcase name="a"/></testsuite>`;
    const text = `<testsuites>${suite("b")}${suite("c")}</testsuites>`;
    const report = readReport("junit", Buffer.from(text), place);
    expect(report.readable && new Set(report.tests.map(({ name }) => name)).size).toBe(2);
  });
});
