import type { Plan } from "@opentiger/schema";
import { expect, it } from "vitest";
import { freshTask, removed, replaced } from "./plan-changes.ts";

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
