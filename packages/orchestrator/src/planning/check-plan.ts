import { type Plan, type PlannedTask, plan } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import { checkDependencies } from "../state/dependencies.ts";
import type { NewTask } from "../state/tasks.ts";
import { testerPathProblem, testerProblems } from "./tester-rule.ts";

export interface PlanLimits {
  /** OPENTIGER_MAX_TASKS. */
  tasks: number;
  /** Of the project, where it is known: the only paths that a tester may touch. */
  testPaths?: readonly string[];
}

/** Refuses a plan that could not be carried out or is longer than a plan may be, with all that is wrong with it. */
export function checkPlan(asked: Plan, limits: PlanLimits): void {
  const problems = [...formProblems(asked), ...planProblems(asked, limits)];
  if (problems.length === 0) return;
  const told = problems.map(({ text }) => text).join("; ");
  throw new OrchestratorError("plan_invalid", `the plan cannot be carried out: ${told}`, {
    remedy: "correct the tasks",
  });
}

export interface PlanProblem {
  /** The key of the task that has it; null where it is about several. */
  task: string | null;
  text: string;
}

/** The same in words, for whoever made the plan. */
export function planProblems({ tasks }: Pick<Plan, "tasks">, limits: PlanLimits): PlanProblem[] {
  const named = tasks.map((task) => ({ ...task, name: task.key }));
  return [
    ...tooMany(tasks, limits),
    ...repeatedKeys(tasks),
    ...unknownNeeds(tasks),
    ...circles(tasks),
    ...testerProblems(named).map(({ name, text }) => ({ task: name, text })),
    ...tasks.flatMap((task) => pathProblems(task, limits)),
  ];
}

/** Its tasks, as a loop has them: needs are numbers, and the first has this one. */
export function planToTasks({ tasks }: Pick<Plan, "tasks">, first = 1): NewTask[] {
  const numbers = numbersOf(tasks, first);
  return tasks.map(({ needs, ...task }) => ({
    ...task,
    needs: needs.flatMap((key) => numbers.get(key) ?? []),
  }));
}

function formProblems(asked: Plan): PlanProblem[] {
  const issues = plan.safeParse(asked).error?.issues ?? [];
  return issues.map(({ path: [field = "", index, ...within], message }) => {
    const task = asked.tasks[Number(index)]?.key ?? null;
    const where = task === null ? [field] : [task, within.join(".")];
    return { task, text: [...where, message].join(": ") };
  });
}

function numbersOf(tasks: readonly PlannedTask[], first = 1): Map<string, number> {
  return new Map(tasks.map(({ key }, index) => [key, first + index]));
}

function tooMany(tasks: readonly PlannedTask[], limits: PlanLimits): PlanProblem[] {
  if (tasks.length <= limits.tasks) return [];
  const text = `it has ${tasks.length} tasks, and ${limits.tasks} are allowed (OPENTIGER_MAX_TASKS)`;
  return [{ task: null, text }];
}

function repeatedKeys(tasks: readonly PlannedTask[]): PlanProblem[] {
  const keys = tasks.map(({ key }) => key);
  const repeated = new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
  return [...repeated].map((key) => ({ task: key, text: `several tasks have the key ${key}` }));
}

function unknownNeeds(tasks: readonly PlannedTask[]): PlanProblem[] {
  const keys = new Set(tasks.map(({ key }) => key));
  return tasks.flatMap(({ key, needs }) =>
    needs
      .filter((need) => !keys.has(need))
      .map((need) => ({ task: key, text: `${key} needs ${need}, which is not in the plan` })),
  );
}

/** By those needs that are known. */
function circles(tasks: readonly PlannedTask[]): PlanProblem[] {
  const numbers = numbersOf(tasks);
  const needing = tasks.map(({ key, needs }, index) => ({
    number: index + 1,
    title: key,
    needs: needs.flatMap((need) => numbers.get(need) ?? []),
  }));
  try {
    checkDependencies(needing);
    return [];
  } catch (error) {
    if (error instanceof OrchestratorError && error.code === "plan_invalid")
      return [{ task: null, text: error.message }];
    throw error;
  }
}

/** Of one task, whatever it is called: its paths lie in the repository, and a tester's can be tests. */
export function pathProblems(
  { key, role, allowedPaths, mayChange }: Pick<PlannedTask, "key" | "role" | "allowedPaths" | "mayChange">,
  { testPaths = [] }: Pick<PlanLimits, "testPaths">,
): PlanProblem[] {
  const texts = [...allowedPaths, ...mayChange]
    .filter((path) => path.startsWith("/") || path.split("/").includes(".."))
    .map((path) => `${key} may change ${path}, which does not lie within the repository`);
  const untestable = testerPathProblem({ name: key, role, allowedPaths }, testPaths);
  return [...texts, ...(untestable === undefined ? [] : [untestable])].map((text) => ({ task: key, text }));
}
