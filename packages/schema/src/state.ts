import { z } from "zod";

/**
 * The words of state. A state is a status, and for some a reason, written as `blocked(awaiting_judge)`. Tables hold the
 * two apart; what may follow what is one table of packages/orchestrator.
 */
export const taskStatuses = ["queued", "running", "blocked", "done", "failed", "cancelled"] as const;
export const taskStatus = z.enum(taskStatuses);
export type TaskStatus = z.infer<typeof taskStatus>;

/** Why a task is blocked; no other status has a reason. */
export const blockReasons = [
  "awaiting_judge",
  "quota_wait",
  "needs_rework",
  "awaiting_approval",
  "dependency_failed",
  "paused",
] as const;
export const blockReason = z.enum(blockReasons);
export type BlockReason = z.infer<typeof blockReason>;

export const loopStatuses = [
  "planning",
  "awaiting_approval",
  "running",
  "paused",
  "done",
  "failed",
  "cancelled",
] as const;
export const loopStatus = z.enum(loopStatuses);
export type LoopStatus = z.infer<typeof loopStatus>;

/** Why a loop is paused; no other status has a reason. */
export const pauseReasons = ["asked", "budget", "branch_moved"] as const;
export const pauseReason = z.enum(pauseReasons);
export type PauseReason = z.infer<typeof pauseReason>;

export const runStatuses = ["running", "succeeded", "failed", "lost", "cancelled"] as const;
export const runStatus = z.enum(runStatuses);
export type RunStatus = z.infer<typeof runStatus>;

/** What of a task is claimed; `plan` is a loop's. */
export const stageKinds = ["plan", "run", "judge", "merge"] as const;
export const stageKind = z.enum(stageKinds);
export type StageKind = z.infer<typeof stageKind>;

/** waiting: for its loop or for tasks that it needs. ready: may be claimed. */
export const stageStates = ["waiting", "ready", "claimed", "ended"] as const;
export const stageState = z.enum(stageStates);
export type StageState = z.infer<typeof stageState>;

export const roles = ["planner", "worker", "tester", "docser", "judge"] as const;
export const role = z.enum(roles);
export type Role = z.infer<typeof role>;

/** Those that a task can have. */
export const taskRoles = ["worker", "tester", "docser"] as const satisfies readonly Role[];
export const taskRole = z.enum(taskRoles);
export type TaskRole = z.infer<typeof taskRole>;

/** Who claims a stage: a role with an agent, or the merger, which has none. */
export const stageRoles = [...roles, "merger"] as const;
export const stageRole = z.enum(stageRoles);
export type StageRole = z.infer<typeof stageRole>;

export const judgementWords = ["pass", "fail", "inconclusive"] as const;
export const judgementWord = z.enum(judgementWords);
export type JudgementWord = z.infer<typeof judgementWord>;

export const taskRisks = ["low", "medium", "high"] as const;
export const taskRisk = z.enum(taskRisks);
export type TaskRisk = z.infer<typeof taskRisk>;

export type TaskState = Exclude<TaskStatus, "blocked"> | `blocked(${BlockReason})`;
export type LoopState = Exclude<LoopStatus, "paused"> | `paused(${PauseReason})`;
export type RunState = RunStatus;

/** Who moves on what is in a state, and how. A state that is final says so. */
export interface StateMeaning {
  readonly owner: string;
  readonly sentence: string;
}

const nobody = "nobody";

export const taskStates = {
  queued: {
    owner: "dispatcher",
    sentence:
      "The dispatcher claims it when all that it needs is done, its paths are free and there is a slot.",
  },
  running: {
    owner: "dispatcher",
    sentence:
      "Whoever holds its lease ends the run; when the lease expires, another dispatcher takes it over.",
  },
  "blocked(awaiting_judge)": {
    owner: "judge",
    sentence:
      "The judge judges its candidate, and after a pass the merger puts it on the loop's branch; until then a person may send it back.",
  },
  "blocked(quota_wait)": {
    owner: "dispatcher",
    sentence: "The dispatcher claims it again when the quota is back, and resumes the session.",
  },
  "blocked(needs_rework)": {
    owner: "dispatcher",
    sentence:
      "The dispatcher claims it again, and the next run is given the points of the judge, or of the person who sent it back.",
  },
  "blocked(awaiting_approval)": {
    owner: "person",
    sentence: "A person approves the plan or cancels.",
  },
  "blocked(dependency_failed)": {
    owner: "person",
    sentence: "A person retries the task that it needs, and the reconciler queues it when that one is open.",
  },
  "blocked(paused)": { owner: "person", sentence: "A person resumes or cancels it." },
  done: {
    owner: nobody,
    sentence:
      "Its commit is on the loop's branch, or, for tests, waits for the code; only a dispute opens those again. What a person sends back is a new task.",
  },
  failed: {
    owner: "person",
    sentence: "It has ended, and says why; a person may retry it, or send it back.",
  },
  cancelled: { owner: "person", sentence: "It has ended because somebody said so; a person may retry it." },
} as const satisfies Record<TaskState, StateMeaning>;

export const loopStates = {
  planning: { owner: "planner", sentence: "The planner claims its plan stage and answers with tasks." },
  awaiting_approval: { owner: "person", sentence: "A person approves the plan, or cancels the loop." },
  running: {
    owner: "dispatcher",
    sentence: "The dispatcher works off its tasks; when none can move any more, the reconciler ends it.",
  },
  "paused(asked)": { owner: "person", sentence: "A person resumes or cancels it." },
  "paused(budget)": {
    owner: "person",
    sentence:
      "A person raises the budget and resumes it, or cancels. What has passed is merged meanwhile; when nothing else is left, the reconciler ends it.",
  },
  "paused(branch_moved)": {
    owner: "person",
    sentence: "Somebody else moved its branch; a person puts that right and resumes it, or cancels.",
  },
  done: {
    owner: "person",
    sentence: "It has ended; retrying a task that was cancelled, or sending one back, opens it again.",
  },
  failed: {
    owner: "person",
    sentence: "It can do no more, and says why; retrying a task, or sending one back, opens it again.",
  },
  cancelled: { owner: nobody, sentence: "Somebody cancelled it; this is final." },
} as const satisfies Record<LoopState, StateMeaning>;

export const runStates = {
  running: {
    owner: "dispatcher",
    sentence:
      "Whoever holds the lease of its stage ends it; after a crash the next dispatcher adopts it, and where its stage has ended the reconciler loses it.",
  },
  succeeded: { owner: nobody, sentence: "The agent did what it was asked; this is final." },
  failed: {
    owner: nobody,
    sentence: "It failed for one of the known types; the retry rule decides on another run.",
  },
  lost: { owner: nobody, sentence: "Nobody knows how it ended; the retry rule decides on another run." },
  cancelled: { owner: nobody, sentence: "We ended it; this is final." },
} as const satisfies Record<RunState, StateMeaning>;

/** A state as tables hold it. */
export interface StateParts<Status extends string = string> {
  readonly status: Status;
  readonly reason: string | null;
}

/** `blocked(paused)` is the status blocked for the reason paused. */
export function stateParts(state: string): StateParts {
  const [, status = state, reason = null] = /^(\w+)\((\w+)\)$/.exec(state) ?? [];
  return { status, reason };
}

export function isTaskState(state: string): state is TaskState {
  return Object.hasOwn(taskStates, state);
}

export function isLoopState(state: string): state is LoopState {
  return Object.hasOwn(loopStates, state);
}
