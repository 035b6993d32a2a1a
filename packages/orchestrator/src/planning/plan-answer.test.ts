import { answerSchema } from "@opentiger/agents";
import { describe, expect, it } from "vitest";
import { type PlanAnswer, planAnswer, planOfAnswer } from "./plan-answer.ts";

const schema = planAnswer({ tasks: 3, testPaths: ["test/**"] });

function answered(more: Partial<PlanAnswer["tasks"][number]> = {}): PlanAnswer {
  const task = {
    key: "a",
    title: "Do a",
    role: "worker" as const,
    instructions: "Do it.",
    needs: [],
    allowedPaths: ["src/**"],
    mayChange: [],
    verify: ["true"],
    risk: "low" as const,
    estimate: null,
  };
  return { summary: "It is done.", tasks: [{ ...task, ...more }] };
}

it("can be asked of every agent", () => {
  expect(answerSchema(schema).jsonSchema).toMatchObject({ type: "object", required: ["summary", "tasks"] });
});

it("that can be carried out is a plan, with commands as a plan has them", () => {
  const answer = schema.parse(answered());
  expect(planOfAnswer(answer).tasks).toMatchObject([{ key: "a", verify: [{ command: "true" }] }]);
});

describe("an answer that could not be carried out", () => {
  it.each([
    ["a form that no API checks", answered({ key: "Not A Key" }), "tasks.0.key"],
    ["an empty command", answered({ verify: [""] }), "tasks.0.verify.0"],
    ["no task at all", { summary: "", tasks: [] }, "tasks"],
    ["a circle", answered({ needs: ["a"] }), "circle"],
    ["a task that is not there", answered({ needs: ["b"] }), "a needs b"],
    ["tests outside of the tests", answered({ role: "tester" }), "tests are test/**"],
    ["a path outside", answered({ allowedPaths: ["/etc"] }), "/etc"],
  ])("goes back with the place: %s", (_what, answer, words) => {
    const { error } = schema.safeParse(answer);
    const told = error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ");
    expect(told).toContain(words);
  });
});
