import { OrchestratorError } from "../errors.ts";

/** A task as far as others need it. */
export interface Needing {
  readonly number: number;
  readonly title: string;
  readonly needs: readonly number[];
}

/**
 * Refuses tasks that could never run: those that need a task that is not there, themselves, or each other in a circle.
 * `known` are the numbers of tasks that the loop has already.
 */
export function checkDependencies(tasks: readonly Needing[], known: ReadonlySet<number> = new Set()): void {
  const own = new Map(tasks.map((task) => [task.number, task]));
  for (const task of tasks) {
    const unknown = task.needs.find((number) => !own.has(number) && !known.has(number));
    if (unknown !== undefined)
      throw refused(`${named(task)} needs task ${unknown}, which is not in the plan`);
  }
  const circle = findCircle(own);
  if (circle) throw refused(`these tasks need each other in a circle: ${circle.map(named).join(", ")}`);
}

/** Takes away what needs nothing that is left, until nothing changes: what stays is on a circle, or needs one. */
function findCircle(own: ReadonlyMap<number, Needing>): Needing[] | undefined {
  const left = new Map(own);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [number, { needs }] of left) {
      if (!needs.some((need) => left.has(need))) left.delete(number);
    }
  }
  const [start] = left.values();
  return start && circleFrom(start, left);
}

/** Everything that is left needs something that is left, so going on comes back sooner or later. */
function circleFrom(start: Needing, left: ReadonlyMap<number, Needing>): Needing[] {
  const path: Needing[] = [];
  let current: Needing | undefined = start;
  while (current && !path.includes(current)) {
    path.push(current);
    const next: number | undefined = current.needs.find((need) => left.has(need));
    current = next === undefined ? undefined : left.get(next);
  }
  return current ? path.slice(path.indexOf(current)) : path;
}

function named({ number, title }: Needing): string {
  return `task ${number} (${title})`;
}

function refused(message: string): OrchestratorError {
  return new OrchestratorError("plan_invalid", message, {
    remedy: "correct what the tasks need, and plan again",
  });
}
