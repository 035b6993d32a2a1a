import type { LoopState, RunState, TaskState } from "@opentiger/schema";

/** What a state is called, and what it is waiting for. The same words as docs/state-model.md has. */
const tasks = {
  queued: "Queued",
  running: "Running",
  "blocked(awaiting_judge)": "Being judged",
  "blocked(quota_wait)": "Waits for quota",
  "blocked(needs_rework)": "Needs rework",
  "blocked(awaiting_approval)": "Needs approval",
  "blocked(dependency_failed)": "Need failed",
  "blocked(paused)": "Paused",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
} as const satisfies Record<TaskState, string>;

const loops = {
  planning: "Planning",
  awaiting_approval: "Needs approval",
  running: "Running",
  "paused(asked)": "Paused",
  "paused(budget)": "Out of budget",
  "paused(branch_moved)": "Branch moved",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
} as const satisfies Record<LoopState, string>;

const runs = {
  running: "Running",
  succeeded: "Succeeded",
  failed: "Failed",
  lost: "Lost",
  cancelled: "Cancelled",
} as const satisfies Record<RunState, string>;

export const stateWords = {
  names: { ...tasks, ...loops, ...runs },
  tones: {
    queued: "Queued",
    running: "Running",
    blocked: "Blocked",
    done: "Done",
    failed: "Failed",
    cancelled: "Cancelled",
  },
  judgements: { pass: "Passed", fail: "Failed", inconclusive: "Inconclusive" },
  roles: { planner: "Planner", worker: "Worker", tester: "Tester", docser: "Docser", judge: "Judge" },
  agents: { claude_code: "Claude Code", codex: "Codex", opencode: "OpenCode", command: "Command" },
  owners: {
    dispatcher: "the dispatcher",
    planner: "the planner",
    judge: "the judge",
    merger: "the merger",
    reconciler: "the reconciler",
    person: "you",
    nobody: "nobody",
  },
  environments: { host: "Host", sandbox: "Sandbox" },
  /** Who moves it on from here, and how. */
  next: {
    queued:
      "The dispatcher claims it when all that it needs is done, its paths are free and there is a slot.",
    planning: "The planner claims its plan stage and answers with tasks.",
    awaiting_approval: "A person approves the plan, or cancels the loop.",
    running:
      "Whoever holds its lease ends the run; when the lease expires, another dispatcher takes it over.",
    "blocked(awaiting_judge)":
      "The judge judges its candidate, and after a pass the merger puts it on the loop's branch; until then you may send it back.",
    "blocked(quota_wait)": "The dispatcher claims it again when the quota is back, and resumes the session.",
    "blocked(needs_rework)":
      "The dispatcher claims it again, and the next run is given the points of the judge, or yours.",
    "blocked(awaiting_approval)": "A person approves the plan or cancels.",
    "blocked(dependency_failed)":
      "A person retries the task that it needs, and the reconciler queues it when that one is open.",
    "blocked(paused)": "A person resumes or cancels it.",
    "paused(asked)": "A person resumes or cancels it.",
    "paused(budget)":
      "A person raises the budget and resumes it, or cancels. What has passed is merged meanwhile; when nothing else is left, the loop ends.",
    "paused(branch_moved)":
      "Somebody else moved its branch; a person puts that right and resumes it, or cancels.",
    done: "Its work is on the loop's branch.",
    failed: "It has ended, and says why; a person may retry it, or send it back.",
    cancelled: "It has ended because somebody said so.",
  },
} as const;
