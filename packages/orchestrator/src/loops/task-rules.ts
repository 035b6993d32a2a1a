import { OrchestratorError } from "../errors.ts";
import { pathProblems } from "../planning/check-plan.ts";
import { testerProblems } from "../planning/tester-rule.ts";
import { testPathsOf } from "../state/planning.ts";
import type { Queryable } from "../state/rows.ts";
import { tasksOf } from "./tasks-of.ts";

/** Part of the transaction that changed this task: what a plan is refused for is refused with it. */
export async function checkRules(on: Queryable, loop: string, changed: number): Promise<void> {
  const tasks = (await tasksOf(on, loop)).filter(({ state }) => state !== "cancelled");
  const name = (number: number): string => `task ${number}`;
  const [problem] = testerProblems(
    tasks.map(({ number, role, needs }) => ({ name: name(number), role, needs: needs.map(name) })),
  );
  if (problem) throw refused(problem.text, "change what these tasks need");
  const task = tasks.find(({ number }) => number === changed);
  if (!task) return;
  const [wrong] = pathProblems({ ...task, key: name(changed) }, { testPaths: await testPathsOf(on, loop) });
  if (wrong) throw refused(wrong.text, "name paths in the repository; a tester's task needs one of a test");
}

function refused(message: string, remedy: string): OrchestratorError {
  return new OrchestratorError("plan_invalid", message, { remedy });
}
