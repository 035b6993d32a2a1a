import type { TaskRole } from "@opentiger/schema";
import { pathsOverlap } from "../state/overlap.ts";

/** A task as far as this rule looks at it; `needs` are names of others. */
export interface RoleNeeds {
  readonly name: string;
  readonly role: TaskRole;
  readonly needs: readonly string[];
}

/**
 * Tests that are written before their code come to the branch together with it. So a tester's task that a worker needs is
 * needed by this one alone: nobody else would find the tests on the branch.
 */
export function testerProblems(tasks: readonly RoleNeeds[]): { name: string; text: string }[] {
  return tasks
    .filter(({ role }) => role === "tester")
    .flatMap(({ name }) => {
      const needing = tasks.filter(({ needs }) => needs.includes(name));
      const workers = needing.filter(({ role }) => role === "worker");
      if (workers.length === 0 || needing.length === 1) return [];
      const who = needing.map((task) => task.name).join(", ");
      return [{ name, text: `${name} is a tester's task and is needed by ${who}: ${rule}` }];
    });
}

/** A tester writes tests and nothing else; where it is known what a test is, its task must be able to touch one. */
export function testerPathProblem(
  { name, role, allowedPaths }: { name: string; role: TaskRole; allowedPaths: readonly string[] },
  testPaths: readonly string[],
): string | undefined {
  if (role !== "tester" || testPaths.length === 0 || pathsOverlap(allowedPaths, testPaths)) return undefined;
  return `${name} is a tester's task and may change no test: tests are ${testPaths.join(", ")}`;
}

const rule =
  "its tests come to the branch together with the code of one worker's task, and that one alone may need it; " +
  "let the others need that worker's task";
