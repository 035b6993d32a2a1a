import type { Plan, PlannedTask, VerifyCommand } from "@opentiger/schema";

/** The plan with this task in the place of that one; those that needed it need it under its new name. */
export function replaced(plan: Plan, key: string, task: PlannedTask): Plan {
  const known = plan.tasks.some((each) => each.key === key);
  const tasks = known ? plan.tasks.map((each) => (each.key === key ? task : each)) : [...plan.tasks, task];
  return {
    ...plan,
    tasks: tasks.map((each) => ({
      ...each,
      needs: each.needs.map((need) => (need === key ? task.key : need)),
    })),
  };
}

/** The plan without it; what needed it needs what it needed. */
export function removed(plan: Plan, key: string): Plan {
  const gone = plan.tasks.find((task) => task.key === key);
  const tasks = plan.tasks.filter((task) => task.key !== key);
  return {
    ...plan,
    tasks: tasks.map((task) => ({
      ...task,
      needs: [...new Set(task.needs.flatMap((need) => (need === key ? (gone?.needs ?? []) : [need])))],
    })),
  };
}

/** A task that nobody has thought about yet, under a name that is free. */
export function freshTask({ tasks }: Plan): PlannedTask {
  let number = tasks.length + 1;
  while (tasks.some(({ key }) => key === `task-${number}`)) number += 1;
  return {
    key: `task-${number}`,
    title: "",
    role: "worker",
    instructions: "",
    needs: [],
    allowedPaths: [],
    mayChange: [],
    verify: [],
    risk: "low",
    estimate: null,
  };
}

/** What is written between these, without what is empty. */
export function partsOf(written: string, between: string): string[] {
  return written
    .split(between)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** One command a line; one that was there before keeps its reporter, which is not written here. */
export function commandsOf(written: string, before: readonly VerifyCommand[]): VerifyCommand[] {
  return partsOf(written, "\n").map(
    (command) => before.find((known) => known.command === command) ?? { command },
  );
}
