import fc from "fast-check";
import { expect, it } from "vitest";
import { checkDependencies, type Needing } from "./dependencies.ts";

const task = (number: number, ...needs: number[]): Needing => ({ number, title: `T${number}`, needs });

it("tasks may need earlier, later and known ones", () => {
  expect(() => checkDependencies([task(1, 2), task(2), task(3, 1, 2, 9)], new Set([9]))).not.toThrow();
});

it("a task that is not there is named, and who needs it", () => {
  expect(() => checkDependencies([task(1, 7)])).toThrow(
    expect.objectContaining({
      code: "plan_invalid",
      message: "task 1 (T1) needs task 7, which is not in the plan",
    }),
  );
});

it("a circle is refused with exactly the tasks on it", () => {
  const tasks = [task(1), task(2, 4), task(3, 2), task(4, 3, 1), task(5, 4)];
  expect(() => checkDependencies(tasks)).toThrow("a circle: task 2 (T2), task 4 (T4), task 3 (T3)");
  expect(() => checkDependencies([task(1, 1)])).toThrow("a circle: task 1 (T1)");
});

it("what is accepted can be put into an order, what is refused cannot", () => {
  const numbers = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }), {
    minLength: 6,
    maxLength: 6,
  });
  fc.assert(
    fc.property(numbers, (needs) => {
      const tasks = needs.map((each, index) => task(index + 1, ...each));
      expect(accepted(tasks)).toBe(hasOrder(tasks));
    }),
  );
});

function accepted(tasks: readonly Needing[]): boolean {
  try {
    checkDependencies(tasks);
    return true;
  } catch {
    return false;
  }
}

/** Whether no task reaches itself. */
function hasOrder(tasks: readonly Needing[]): boolean {
  return tasks.every(({ number }) => {
    const reached = new Set(tasks[number - 1]?.needs);
    for (const next of reached) for (const need of tasks[next - 1]?.needs ?? []) reached.add(need);
    return !reached.has(number);
  });
}
