import { readSandboxName, type TaskRow } from "@opentiger/orchestrator";
import type { SandboxSummary } from "@opentiger/schema";

type Seen = Pick<SandboxSummary, "name" | "own" | "createdAt">;

/** Of all there are, the one in which a task's agent works, or worked last: no judge's, and none for checks alone. */
export function latestTaskSandbox(
  all: readonly Seen[],
  { loop, number }: Pick<TaskRow, "loop" | "number">,
): Seen | undefined {
  const ofTask = all.filter(({ name, own }) => {
    const of = own ? readSandboxName(name) : undefined;
    return of?.kind === "task" && of.loop === loop && of.task === number;
  });
  return ofTask.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))[0];
}
