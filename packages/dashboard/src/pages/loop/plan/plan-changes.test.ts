import type { Plan } from "@opentiger/schema";
import { expect, it } from "vitest";
import { commandsOf, freshTask, removed, replaced } from "./plan-changes.ts";

const empty: Plan = { summary: "", tasks: [] };
const task = (key: string, needs: string[] = []) => ({ ...freshTask(empty), key, needs });
const plan: Plan = { summary: "", tasks: [task("a"), task("b", ["a"]), task("c", ["b"])] };
const needsOf = ({ tasks }: Plan) => Object.fromEntries(tasks.map(({ key, needs }) => [key, needs]));

it("a task under a new name is needed under that name", () => {
  expect(needsOf(replaced(plan, "b", task("better", ["a"])))).toEqual({
    a: [],
    better: ["a"],
    c: ["better"],
  });
});

it("without a task, what needed it needs what it needed", () => {
  expect(needsOf(removed(plan, "b"))).toEqual({ a: [], c: ["a"] });
});

it("a new task has a name that no other has", () => {
  const taken = replaced(plan, "a", task("task-3"));
  expect(freshTask({ ...taken, tasks: taken.tasks.slice(0, 2) }).key).toBe("task-4");
});

it("a check that is written again keeps its reporter, and a new one has none", () => {
  const known = { command: "npm test", reporter: { format: "junit", path: "out.xml" } } as const;
  expect(commandsOf("npm run lint\n\n  npm test \n", [known])).toEqual([{ command: "npm run lint" }, known]);
});
