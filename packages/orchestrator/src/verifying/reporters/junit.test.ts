import { describe, expect, it } from "vitest";
import { readJunit } from "./junit.ts";
import { Unreadable } from "./reported-test.ts";

const read = (text: string) => [...readJunit(text)];

describe("a JUnit report", () => {
  it("of pytest tells of each test, and in which file it is", () => {
    const report = `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="4">
      <testcase classname="tests.test_list.TestNames" name="test_sorted[a-1]" file="tests/test_list.py" time="0.5"/>
      <testcase classname="tests.test_list" name="test_bad" file="tests/test_list.py"><failure message="assert 1 == 2">E  assert</failure></testcase>
      <testcase classname="tests.test_list" name="test_broken" file="tests/test_list.py"><error message="fixture">x</error></testcase>
      <testcase classname="tests.test_list" name="test_left" file="tests/test_list.py"><skipped type="pytest.skip"/></testcase>
      </testsuite></testsuites>`;
    expect(read(report)).toEqual([
      test("tests.test_list.TestNames > test_sorted[a-1]", "passed", { durationMs: 500 }),
      test("tests.test_list > test_bad", "failed", { output: "assert 1 == 2\nE  assert" }),
      test("tests.test_list > test_broken", "failed", { output: "fixture\nx" }),
      test("tests.test_list > test_left", "skipped"),
    ]);
  });

  it("has the file of a suite for its tests, or a class that is a path", () => {
    const report = `<testsuites><testsuite name="s" file="a/b.js"><testcase name="one"/></testsuite>
      <testsuite name="t" filepath="a/c.js"><testsuite name="u"><testcase name="in"/></testsuite></testsuite>
      <testsuite name="src/x.test.ts"><testcase classname="src/x.test.ts" name="two"/></testsuite></testsuites>`;
    expect(read(report).map(({ file, name }) => [file, name])).toEqual([
      ["a/b.js", "s > one"],
      ["a/c.js", "u > in"],
      ["src/x.test.ts", "src/x.test.ts > two"],
    ]);
  });

  it("whose suite failed by itself has one failed test more", () => {
    const report = `<testsuite name="s"><error message="cannot be loaded"/><testcase name="a"/></testsuite>`;
    expect(read(report).map(({ name, result }) => [name, result])).toEqual([
      ["s > a", "passed"],
      ["s", "failed"],
    ]);
  });

  it("counts a test that was not run as skipped, and one that flaked as passed", () => {
    const report = `<testsuite name="s"><testcase name="a" status="notrun"/><testcase name="b" result="suppressed"/>
      <testcase name="c"><flakyFailure message="once"/></testcase>
      <testcase name="d"><skipped/><failure/></testcase></testsuite>`;
    expect(read(report).map(({ result }) => result)).toEqual(["skipped", "skipped", "passed", "failed"]);
  });

  it.each(["failed", "Failure", "error", "broken"])("believes a test that it is %s", (status) => {
    const report = `<testsuite name="s"><testcase name="a" status="${status}"/><testcase name="b" result="${status}"/></testsuite>`;
    expect(read(report).map(({ result }) => result)).toEqual(["failed", "failed"]);
  });

  it("says of a failure what stands in it, as far as anybody reads, and not what the test printed", () => {
    const failures = `<failure message="m">${"x".repeat(100_000)}</failure>`.repeat(100);
    const report = `<testsuite name="s"><testcase name="a"><system-out>printed</system-out>${failures}</testcase></testsuite>`;
    const output = read(report)[0]?.output ?? "";
    expect(output).toMatch(/^m\nxxx/);
    expect(output.length).toBeLessThan(20_000);
  });

  it.each([
    ["is of something else", "<html><testcase name='a'/></html>"],
    ["has a test without a name", "<testsuite><testcase/></testsuite>"],
    [
      "hides a test in another",
      "<testsuite><testcase name='a'><failure/><testcase name='b'/></testcase></testsuite>",
    ],
    ["is cut off", "<testsuite><testcase name='a'/>"],
  ])("that %s is refused", (_what, report) => {
    expect(() => read(report)).toThrow(Unreadable);
  });
});

function test(name: string, result: string, more: object = {}): object {
  return { file: "tests/test_list.py", name, result, output: "", durationMs: 0, ...more };
}
