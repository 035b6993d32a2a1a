import type { TaskState } from "./state.ts";

/** In which nobody has begun a task, or what was begun goes on in another run. */
export const editableTaskStates: readonly TaskState[] = [
  "queued",
  "blocked(awaiting_approval)",
  "blocked(paused)",
  "blocked(needs_rework)",
  "blocked(quota_wait)",
  "blocked(dependency_failed)",
];
