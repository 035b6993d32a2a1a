import { z } from "zod";
import { failureTypes } from "./agent.ts";

/** Why a run of a task came to nothing: what an agent's run can fail of, and what can go wrong around it. */
export const taskFailureTypes = [
  ...failureTypes,
  "sandbox",
  "setup",
  "no_change",
  "rules",
  "verify",
  "judge",
  "inconclusive",
  "conflict",
  "dispute",
] as const;
export const taskFailureType = z.enum(taskFailureTypes);
export type TaskFailureType = z.infer<typeof taskFailureType>;

export const taskFailure = z.object({
  type: taskFailureType,
  /** What happened, in a sentence for the user. */
  message: z.string(),
  remedy: z.string(),
  /** quota: when it may be tried again, where that is known. */
  until: z.iso.datetime().nullable(),
});
export type TaskFailure = z.infer<typeof taskFailure>;
