/**
 * What a merge does, in this order. Each can be done again, by anybody; only `advance` needs the lease, and happens once.
 * A merge that stops after it is done: the rest is made of the row, by whoever comes along.
 */
export const mergeSteps = [
  /** The commit is written. Nothing leads to it yet. */
  "commit",
  /** It is kept from git's collection. */
  "pin",
  /** The branch of the loop is moved, and the task is done: one transaction. */
  "advance",
  /** The branch is shown in our own repository, and then in the user's. */
  "project",
  /** The row says how far that is. */
  "note",
  /** The pins that the task needed are removed. */
  "tidy",
] as const;
export type MergeStep = (typeof mergeSteps)[number];

/** Hears of each step when it is done. */
export type OnStep = (step: MergeStep) => Promise<void>;
