import type { CheckRound } from "@opentiger/schema";
import { expect, it } from "vitest";
import { plannerPrompt } from "./planner-prompt.ts";
import { redOf } from "./red-checks.ts";

const project = {
  image: null,
  setup: [],
  verify: [{ command: "npm test" }],
  env: {},
  network: {
    setup: { policy: null, allow: [] },
    run: { policy: null, allow: [] },
    verify: { policy: null, allow: [] },
  },
  testPaths: ["test/**"],
  protectedPaths: ["package.json"],
  lockFiles: [],
  limits: {
    memory: null,
    cpus: null,
    pids: null,
    changedFiles: 100,
    changedBytes: 1_000,
    binaries: "refused" as const,
  },
  detected: ["npm (package-lock.json)"],
  sources: {},
};

function round(
  ...results: readonly (readonly [test: string | null, result: "passed" | "failed" | "skipped"])[]
): CheckRound {
  return {
    tree: "base",
    commit: "c",
    results: results.map(([test, result]) => ({
      command: "npm test",
      test,
      result,
      exitCode: null,
      output: "",
      durationMs: 1,
    })),
  };
}

const usual = { requirement: "\nA flag.\n", project, baseline: round([null, "passed"]) };
const asked = (more: Partial<Parameters<typeof plannerPrompt>[0]> = {}): string =>
  plannerPrompt({ ...usual, ...more }, { tasks: 7 });

it("says what is asked, with what the project has, what tests are, and how many tasks there may be", () => {
  const prompt = asked();
  expect(prompt).toContain("<requirement>\nA flag.\n</requirement>");
  expect(prompt).toContain("- `npm test`");
  expect(prompt).toContain("Tests are: `test/**`. Protected are: `package.json`; and in any case Makefiles");
  expect(prompt).toContain("at most 7");
  expect(prompt).toContain("needed by exactly one worker's task");
  expect(prompt).toContain("All of them are green now");
});

it("says what is red already", () => {
  const baseline = round([null, "failed"], ["adds", "passed"], ["lists", "failed"], ["later", "skipped"]);
  expect(asked({ baseline })).toContain("- npm test\n- lists (npm test)\n");
  expect(redOf(baseline)).toEqual({
    red: ["npm test", "lists (npm test)"],
    notes: [expect.stringContaining("2 of 4 checks are red before anything is changed")],
  });
});

it("says that nobody can be judged by what took too long", () => {
  const { results, ...about } = round([null, "failed"]);
  const slow = { ...about, results: results.map((result) => ({ ...result, exitCode: 124 })) };
  expect(redOf(slow).notes).toContainEqual(expect.stringContaining("OPENTIGER_VERIFY_TIMEOUT"));
});

it("asks for commands where the project has none, and whoever starts the loop is told", () => {
  const bare = { project: { ...project, verify: [], detected: [] }, baseline: null };
  expect(asked(bare)).toContain("Give every task a `verify` command");
  expect(redOf(null).notes).toEqual([expect.stringContaining("no verify command")]);
});

it("names only some of very many", () => {
  const many = round(...Array.from({ length: 70 }, (_, index) => [`t${index}`, "failed"] as const));
  expect(redOf(many).red).toHaveLength(51);
  expect(redOf(many).red.at(-1)).toBe("20 more");
});
