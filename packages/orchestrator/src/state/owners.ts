import { type By, type StateOf, transitions, type What } from "./transitions.ts";

/** One who makes a transition happen, by asking `change` for it. */
interface Owner<State extends string> {
  readonly owner: string;
  /** The files that ask, in this package's `src`. */
  readonly where: readonly string[];
  /** Where it does so from some of the states only, or to some only. */
  readonly from?: readonly State[];
  readonly to?: readonly State[];
}

/** The owners of a transition out of a state. */
export function ownersFrom(what: What, by: string, state: string): readonly Owner<string>[] {
  return allOwners(what, by).filter(({ from }) => from === undefined || from.includes(state));
}

/** Who made an event such as `task.claim` happen, by the states it names; null where nothing moved. */
export function ownerOf(type: string, { from, to }: { from?: unknown; to?: unknown }): string | null {
  const [what = "", by = ""] = type.split(".");
  if (!isWhat(what)) return null;
  const found = allOwners(what, by).find((each) => isOneOf(each.from, from) && isOneOf(each.to, to));
  return found?.owner ?? null;
}

type Owners = { readonly [W in What]: Readonly<Record<By<W>, readonly Owner<StateOf[W]>[]>> };

const failTask = "recovery/fail-task.ts";

/** Who does what there is in the table of transitions. Where it may be one of several, the first is the usual one. */
const owners: Owners = {
  task: {
    approve: [by("person", "loops/approve-loop.ts")],
    claim: [by("dispatcher", "state/claims.ts")],
    submit: [by("dispatcher", "running/end-submitted.ts")],
    wait_for_quota: [by("dispatcher", failTask)],
    again: [by("dispatcher", failTask)],
    pass: [by("judge", "judging/conclude.ts")],
    reject: [by("judge", failTask)],
    rejudge: [by("judge", failTask), by("merger", "merging/merge-stage.ts")],
    merge: [by("merger", "state/branch.ts")],
    give_up: [by("dispatcher", failTask, "dispatch/fail-stage.ts")],
    block: [by("reconciler", "state/dependents.ts")],
    unblock: [by("reconciler", "state/dependents.ts")],
    pause: [by("person", "loops/pause-task.ts")],
    resume: [by("person", "loops/resume-task.ts")],
    cancel: [
      by("person", "loops/cancel-task.ts", "loops/cancel-loop.ts"),
      { ...by("person", "loops/edit-plan.ts"), from: ["blocked(awaiting_approval)"] },
    ],
    retry: [by("person", "loops/retry-task.ts")],
    send_back: [by("person", "loops/send-back.ts")],
    dispute: [by("dispatcher", failTask)],
  },
  loop: {
    planned: [by("planner", "planning/finish-planning.ts")],
    approve: [by("person", "loops/approve-loop.ts")],
    pause: [
      { ...by("person", "loops/pause-loop.ts"), from: ["running"], to: ["paused(asked)"] },
      { ...by("reconciler", "recovery/reconcile/budgets.ts"), from: ["running"], to: ["paused(budget)"] },
      { ...by("dispatcher", failTask), from: ["running"], to: ["paused(budget)"] },
      { ...by("merger", "merging/project-branch.ts"), to: ["paused(branch_moved)"] },
    ],
    resume: [by("person", "loops/resume-loop.ts")],
    finish: [by("reconciler", "loops/end-loop.ts")],
    fail: [
      { ...by("planner", "planning/plan-failure.ts", "dispatch/fail-stage.ts"), from: ["planning"] },
      { ...by("reconciler", "recovery/reconcile/budgets.ts"), from: ["planning"] },
      { ...by("reconciler", "loops/end-loop.ts"), from: ["running", "paused(budget)"] },
    ],
    cancel: [by("person", "loops/cancel-loop.ts")],
    reopen: [by("person", "loops/retry-task.ts")],
    replan: [by("person", "loops/retry-loop.ts")],
  },
  run: {
    succeed: [
      by("dispatcher", "running/end-submitted.ts", "judging/conclude.ts", "planning/finish-planning.ts"),
    ],
    fail: [by("dispatcher", failTask, "planning/plan-failure.ts")],
    lose: [
      by("reconciler", "recovery/reconcile/stray-runs.ts"),
      by("dispatcher", failTask, "planning/plan-failure.ts"),
    ],
    cancel: [by("dispatcher", failTask), by("reconciler", "recovery/reconcile/stray-runs.ts")],
  },
};

function allOwners(what: What, by: string): readonly Owner<string>[] {
  const table: Readonly<Record<string, readonly Owner<string>[]>> = owners[what];
  return (Object.hasOwn(table, by) ? table[by] : undefined) ?? [];
}

function isOneOf(states: readonly string[] | undefined, state: unknown): boolean {
  return states === undefined || states.some((each) => each === state);
}

function isWhat(word: string): word is What {
  return Object.hasOwn(transitions, word);
}

function by(owner: string, ...where: readonly string[]): { owner: string; where: readonly string[] } {
  return { owner, where };
}
