import { taskFailureTypes } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import { goOnPrompt, messagePrompt, type PromptParts, taskPrompt } from "./prompt.ts";

const parts: PromptParts = {
  task: {
    title: "Add a flag",
    role: "worker",
    instructions: "Add --json to ls.",
    allowedPaths: ["src/**"],
    mayChange: [],
  },
  requirement: "Lists shall be readable by programs.\nAll of them.",
  verify: [{ command: "npm test" }],
  locked: [],
  disputeFile: "/tmp/opentiger-dispute.md",
  base: "b".repeat(40),
  testsFirst: false,
  rework: null,
  saidBefore: [],
  saidNow: [],
};

const points = [{ by: "judge", file: "src/ls.ts", line: 7, text: "it prints\ntwice" }] as const;

describe("the prompt of a task", () => {
  it("says what to do, where, and how it is checked", () => {
    const prompt = taskPrompt(parts);
    for (const words of [
      "# Add a flag",
      "Add --json to ls.",
      "- src/**",
      "- `npm test`",
      "> Lists shall be readable by programs.\n> All of them.",
    ])
      expect(prompt).toContain(words);
    expect(prompt).not.toContain("dispute");
    expect(prompt).not.toContain("worked on before");
  });

  it("names the tests that must stay as they are, and where to say that one is wrong", () => {
    const prompt = taskPrompt({ ...parts, locked: ["tests/ls.test.ts"] });
    expect(prompt).toContain("- tests/ls.test.ts");
    expect(prompt).toContain("/tmp/opentiger-dispute.md");
  });

  it("of a tester says whether the tests have to fail or to pass", () => {
    const task = { ...parts.task, role: "tester" } as const;
    expect(taskPrompt({ ...parts, task, testsFirst: true })).toContain("your tests must fail now");
    expect(taskPrompt({ ...parts, task })).toContain("They must pass.");
  });

  it("that begins anew says what was found before, and what of the work is there", () => {
    const prompt = taskPrompt({ ...parts, rework: { failure: "judge", points, patch: null } });
    expect(prompt).toContain("Mend every point");
    expect(prompt).toContain("- (judge) src/ls.ts:7: it prints\n  twice");
    expect(prompt).toContain(`git diff ${"b".repeat(40)}`);
  });

  it("that goes on is short: the conversation knows the rest", () => {
    const prompt = goOnPrompt({ ...parts, rework: { failure: "judge", points, patch: "+one" } });
    expect(prompt).toContain("- (judge) src/ls.ts:7");
    expect(prompt).toContain("> +one");
    expect(prompt).not.toContain("Add --json to ls.");
  });

  it.each(taskFailureTypes)("has something to say after a failure of type %s", (failure) => {
    const prompt = goOnPrompt({ ...parts, rework: { failure, points: [], patch: null } });
    expect(prompt.split("\n\n")[0]).toMatch(/\.$/);
  });
});

describe("what a person says", () => {
  const said = [{ file: "src/ls.ts", line: 3, text: "Say why." }];
  const before = [{ file: null, line: null, text: "Be brief." }];

  it("is all that a conversation is told that goes on, and a new one hears what was said before too", () => {
    expect(messagePrompt(said)).toContain("src/ls.ts:3: Say why.");
    expect(messagePrompt(said)).not.toContain("Add --json");
    const fresh = taskPrompt({ ...parts, saidBefore: before, saidNow: said });
    expect(fresh).toMatch(/Add --json[\s\S]*Be brief\.[\s\S]*src\/ls\.ts:3: Say why\./);
  });

  it("when sending work back comes as points to mend", () => {
    const point = { by: "person", file: "src/ls.ts", line: 3, text: "Say why." } as const;
    const rework = { failure: "person", points: [point], patch: null } as const;
    const prompt = goOnPrompt({ ...parts, rework, saidBefore: before });
    expect(prompt).toMatch(/A person looked[\s\S]*- \(person\) src\/ls\.ts:3: Say why\./);
    expect(prompt).not.toContain("Be brief.");
  });
});
