import {
  type LoopState,
  loopStates,
  type RunState,
  runStates,
  type StageKind,
  type TaskState,
  taskStates,
} from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";

/** One way from some states to another. */
export interface Transition<State extends string> {
  readonly from: readonly State[];
  /** Where there are several, the caller says which. */
  readonly to: readonly State[];
  /** The stage that is open afterwards: a new one of this kind, none, or the one there was. */
  readonly stage: StageKind | "none" | "same";
}

const openTaskStates = [
  "queued",
  "running",
  "blocked(awaiting_judge)",
  "blocked(quota_wait)",
  "blocked(needs_rework)",
  "blocked(awaiting_approval)",
  "blocked(dependency_failed)",
  "blocked(paused)",
] as const satisfies readonly TaskState[];

const pausedStates = [
  "paused(asked)",
  "paused(budget)",
  "paused(branch_moved)",
] as const satisfies readonly LoopState[];

const openLoopStates = [
  "planning",
  "awaiting_approval",
  "running",
  ...pausedStates,
] as const satisfies readonly LoopState[];

const task = {
  approve: way(["blocked(awaiting_approval)"], ["queued"], "run"),
  claim: way(["queued", "blocked(needs_rework)", "blocked(quota_wait)"], ["running"], "same"),
  submit: way(["running"], ["blocked(awaiting_judge)"], "judge"),
  wait_for_quota: way(["running"], ["blocked(quota_wait)"], "run"),
  /** The retry rule allows another run, the run was lost, or we stopped it ourselves. */
  again: way(["running"], ["queued"], "run"),
  pass: way(["blocked(awaiting_judge)"], ["blocked(awaiting_judge)"], "merge"),
  reject: way(["blocked(awaiting_judge)"], ["blocked(needs_rework)"], "run"),
  /** The branch has moved on since, the plan was edited, or the judgement was inconclusive. */
  rejudge: way(["blocked(awaiting_judge)"], ["blocked(awaiting_judge)"], "judge"),
  merge: way(["blocked(awaiting_judge)"], ["done"], "none"),
  give_up: way(["running", "blocked(awaiting_judge)"], ["failed"], "none"),
  block: way(
    ["queued", "blocked(needs_rework)", "blocked(quota_wait)"],
    ["blocked(dependency_failed)"],
    "none",
  ),
  /** What the next run is to know, and from when on it may begin, is kept in the row. */
  unblock: way(["blocked(dependency_failed)"], ["queued"], "run"),
  /** Not what awaits approval: resuming it would approve it. */
  pause: way(["queued", "blocked(needs_rework)", "blocked(quota_wait)"], ["blocked(paused)"], "none"),
  resume: way(["blocked(paused)"], ["queued"], "run"),
  cancel: way(openTaskStates, ["cancelled"], "none"),
  retry: way(["failed", "cancelled"], ["queued"], "run"),
  /** A person looked at its candidate, or at what there is of one, and wants it another way. */
  send_back: way(
    ["blocked(awaiting_judge)", "blocked(needs_rework)", "failed"],
    ["blocked(needs_rework)"],
    "run",
  ),
  /** The worker thinks a test wrong that waits for its code, and so is not on the branch: it is written again. */
  dispute: way(["done"], ["queued"], "run"),
} as const satisfies Record<string, Transition<TaskState>>;

const loop = {
  planned: way(["planning"], ["awaiting_approval", "running"], "none"),
  approve: way(["awaiting_approval"], ["running"], "same"),
  /** One that has no budget is still merged, and then its branch may turn out to be moved. */
  pause: way(["running", "paused(budget)"], pausedStates, "same"),
  resume: way(pausedStates, ["running"], "same"),
  finish: way(["running", "paused(budget)"], ["done"], "same"),
  fail: way(["planning", "running", "paused(budget)"], ["failed"], "none"),
  cancel: way(openLoopStates, ["cancelled"], "none"),
  /** One of its tasks is retried. */
  reopen: way(["done", "failed"], ["running"], "same"),
  /** It failed before there was a plan. */
  replan: way(["failed"], ["planning"], "plan"),
} as const satisfies Record<string, Transition<LoopState>>;

const run = {
  succeed: way(["running"], ["succeeded"], "same"),
  fail: way(["running"], ["failed"], "same"),
  lose: way(["running"], ["lost"], "same"),
  cancel: way(["running"], ["cancelled"], "same"),
} as const satisfies Record<string, Transition<RunState>>;

/** All that may happen to tasks, loops and runs. Whatever is not here is refused. */
export const transitions = { task, loop, run } as const;

export type What = keyof typeof transitions;
export type By<W extends What> = keyof (typeof transitions)[W] & string;
export interface StateOf {
  task: TaskState;
  loop: LoopState;
  run: RunState;
}

type Entry<W extends What, B extends By<W>> =
  (typeof transitions)[W][B] extends Transition<StateOf[W]> ? (typeof transitions)[W][B] : never;

/** The states from which, and to which, a transition goes: an illegal one does not compile. */
export type From<W extends What, B extends By<W>> = Entry<W, B>["from"][number];
export type To<W extends What, B extends By<W>> = Entry<W, B>["to"][number];

/** The names of all states, by what has them. */
export const statesOf = { task: taskStates, loop: loopStates, run: runStates } as const;

/** For a state that was read, and so is any: whether this may happen to it. */
export function allows<W extends What, B extends By<W>>(
  what: W,
  by: B,
  state: StateOf[W],
): state is From<W, B> & StateOf[W] {
  return transitionOf(what, by).from.includes(state);
}

/** The entry of the table; whoever asks for another one is in error. */
export function transitionOf(what: What, by: string): Transition<string> {
  const table: Readonly<Record<string, Transition<string>>> = transitions[what];
  const found = Object.hasOwn(table, by) ? table[by] : undefined;
  if (found) return found;
  throw new OrchestratorError("internal", `there is no transition ${by} of a ${what}`);
}

function way<
  const F extends readonly string[],
  const T extends readonly string[],
  S extends Transition<string>["stage"],
>(from: F, to: T, stage: S): { from: F; to: T; stage: S } {
  return { from, to, stage };
}
