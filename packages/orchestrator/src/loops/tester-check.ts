import { OrchestratorError } from "../errors.ts";
import { testerProblems } from "../planning/tester-rule.ts";
import type { Queryable } from "../state/rows.ts";
import { tasksOf } from "./tasks-of.ts";

/** Part of the transaction that changed what tasks need: what the rule for testers forbids is refused with it. */
export async function checkTesters(on: Queryable, loop: string): Promise<void> {
  const tasks = (await tasksOf(on, loop)).filter(({ state }) => state !== "cancelled");
  const name = (number: number): string => `task ${number}`;
  const [problem] = testerProblems(
    tasks.map(({ number, role, needs }) => ({ name: name(number), role, needs: needs.map(name) })),
  );
  if (!problem) return;
  throw new OrchestratorError("plan_invalid", problem.text, { remedy: "change what these tasks need" });
}
