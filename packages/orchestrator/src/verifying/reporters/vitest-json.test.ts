import { describe, expect, it } from "vitest";
import { Unreadable } from "./reported-test.ts";
import { readVitestJson } from "./vitest-json.ts";

const read = (report: unknown) => [...readVitestJson(JSON.stringify(report))];

describe("a report of vitest or jest", () => {
  it("tells of each test with its file and suites", () => {
    const assertionResults = [
      { ancestorTitles: ["a", "b"], title: "works", status: "passed", duration: 3, failureMessages: [] },
      { ancestorTitles: [], title: "does not", status: "failed", failureMessages: ["Error: no"] },
      { ancestorTitles: [], title: "later", status: "todo" },
      { ancestorTitles: [], title: "left", status: "pending", failureMessages: null },
    ];
    expect(
      read({ testResults: [{ name: "/w/x.test.ts", status: "failed", message: "", assertionResults }] }),
    ).toEqual([
      { file: "/w/x.test.ts", name: "a > b > works", result: "passed", output: "", durationMs: 3 },
      { file: "/w/x.test.ts", name: "does not", result: "failed", output: "Error: no", durationMs: 0 },
      { file: "/w/x.test.ts", name: "later", result: "skipped", output: "", durationMs: 0 },
      { file: "/w/x.test.ts", name: "left", result: "skipped", output: "", durationMs: 0 },
    ]);
  });

  it("whose file could not be loaded has one failed test", () => {
    const file = { name: "x.test.ts", status: "failed", message: "no such module", assertionResults: [] };
    expect(read({ testResults: [file] })).toMatchObject([
      { name: "(file)", result: "failed", output: "no such module" },
    ]);
  });

  it.each([
    ["is not JSON", "{"],
    ["is other JSON", "[]"],
    [
      "has a test of an unknown state",
      JSON.stringify({
        testResults: [{ name: "x", status: "passed", assertionResults: [{ title: "a", status: "great" }] }],
      }),
    ],
    ["nests without an end", "[".repeat(1_000_000)],
    ["has a million wrong entries", `{"testResults":[${"1,".repeat(1_000_000)}1]}`],
  ])("that %s is refused", (_what, text) => {
    expect(() => [...readVitestJson(text)]).toThrow(Unreadable);
  });
});
