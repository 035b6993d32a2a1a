import type { PlannedTask } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import { checkPlan, planProblems, planToTasks } from "./check-plan.ts";

function task(key: string, more: Partial<PlannedTask> = {}): PlannedTask {
  return {
    key,
    title: `Do ${key}`,
    role: "worker",
    instructions: "Do it.",
    needs: [],
    allowedPaths: [`${key}/**`],
    mayChange: [],
    verify: [],
    risk: "low",
    estimate: null,
    ...more,
  };
}

const limits = { tasks: 5 };
const texts = (...tasks: PlannedTask[]): string[] => planProblems({ tasks }, limits).map(({ text }) => text);

describe("a plan", () => {
  it("that can be carried out is taken, and its needs become numbers", () => {
    const plan = {
      summary: "",
      tasks: [task("a"), task("b", { needs: ["a"] }), task("c", { needs: ["a", "b"] })],
    };
    expect(() => checkPlan(plan, limits)).not.toThrow();
    expect(planToTasks(plan)).toMatchObject([{ key: "a" }, { needs: [1] }, { needs: [1, 2] }]);
    expect(planToTasks(plan, 4)).toMatchObject([{ needs: [] }, { needs: [4] }, { needs: [4, 5] }]);
  });

  it("is refused with all that is wrong with it", () => {
    const circle = [task("b", { needs: ["c"] }), task("c", { needs: ["b"] })];
    const tasks = [task("a", { needs: ["x"] }), task("a"), ...circle];
    expect(() => checkPlan({ summary: "", tasks }, { tasks: 2 })).toThrow(
      expect.objectContaining({
        code: "plan_invalid",
        message: expect.stringMatching(/4 tasks, and 2 are allowed.*key a.*needs x.*circle/),
      }),
    );
  });

  it.each(["/etc/passwd", "../other", "src/../../other"])(
    "must not reach out of the repository: %s",
    (path) => {
      expect(texts(task("a", { allowedPaths: [path] }))).toHaveLength(1);
      expect(texts(task("a", { mayChange: [path] }))).toHaveLength(1);
    },
  );
});

describe("a tester's task", () => {
  const tests = task("t", { role: "tester", allowedPaths: ["test/a.test.js"] });

  it("is needed by one worker and nobody else", () => {
    expect(texts(tests, task("w", { needs: ["t"] }))).toEqual([]);
    expect(texts(tests, task("w", { needs: ["t"] }), task("v", { needs: ["t"] }))).toEqual([
      expect.stringContaining("needed by w, v"),
    ]);
    const docs = task("d", { role: "docser", needs: ["t"] });
    expect(texts(tests, task("w", { needs: ["t"] }), docs)).toHaveLength(1);
    expect(texts(tests, task("w", { needs: ["t"] }), { ...docs, needs: ["w"] })).toEqual([]);
  });

  it("that no worker needs stands for itself, and others may build on it", () => {
    expect(texts(tests)).toEqual([]);
    expect(
      texts(tests, task("d", { role: "docser", needs: ["t"] }), task("e", { role: "docser", needs: ["t"] })),
    ).toEqual([]);
  });

  it("whose paths hold no test is refused where it is known what a test is", () => {
    const known = { ...limits, testPaths: ["test/**"] };
    expect(planProblems({ tasks: [tests] }, known)).toEqual([]);
    const elsewhere = { ...tests, allowedPaths: ["src/a.js"] };
    expect(planProblems({ tasks: [elsewhere] }, known)).toMatchObject([{ task: "t" }]);
  });
});
