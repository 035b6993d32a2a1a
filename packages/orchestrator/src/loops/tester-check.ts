import { OrchestratorError } from "../errors.ts";
import { testerPathProblem, testerProblems } from "../planning/tester-rule.ts";
import { testPathsOf } from "../state/planning.ts";
import type { Queryable } from "../state/rows.ts";
import { tasksOf } from "./tasks-of.ts";

/** Part of the transaction that changed this task: what the rules for testers forbid is refused with it. */
export async function checkTesters(on: Queryable, loop: string, changed: number): Promise<void> {
  const tasks = (await tasksOf(on, loop)).filter(({ state }) => state !== "cancelled");
  const name = (number: number): string => `task ${number}`;
  const [problem] = testerProblems(
    tasks.map(({ number, role, needs }) => ({ name: name(number), role, needs: needs.map(name) })),
  );
  if (problem) throw refused(problem.text, "change what these tasks need");
  const task = tasks.find(({ number }) => number === changed);
  const text = task && testerPathProblem({ ...task, name: name(changed) }, await testPathsOf(on, loop));
  if (text) throw refused(text, "let it change tests, or give it another role");
}

function refused(message: string, remedy: string): OrchestratorError {
  return new OrchestratorError("plan_invalid", message, { remedy });
}
