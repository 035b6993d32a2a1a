import { z } from "zod";
import { longestInstructions, mostVerifyCommands } from "./longest.ts";
import { verifyCommand } from "./project.ts";
import { taskRisk, taskRole } from "./state.ts";

/** One task of a plan, as it is kept. */
export const keptTask = z.object({
  key: z.string(),
  title: z.string(),
  role: taskRole,
  instructions: z.string(),
  needs: z.array(z.string()),
  allowedPaths: z.array(z.string()),
  mayChange: z.array(z.string()),
  verify: z.array(verifyCommand),
  risk: taskRisk,
  estimate: z.string().nullable(),
});

/** The same as it may be written: bounds are looked at before it is kept, so that whatever is there can be read. */
export const plannedTask = keptTask.extend({
  /** A short name by which others of the plan need it. */
  key: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/),
  title: z.string().min(1).max(200),
  instructions: z.string().min(1).max(longestInstructions),
  /** Keys of tasks that must be done before. */
  needs: z.array(z.string()).max(50),
  /** Paths or globs that it may change; none: anything, and so it runs alone. */
  allowedPaths: z.array(z.string().min(1).max(1_000)).max(200),
  /** Of `testPaths` and `protectedPaths`: those that it is meant to change. */
  mayChange: z.array(z.string().min(1).max(1_000)).max(200),
  /** Besides those of the project. */
  verify: z.array(verifyCommand).max(mostVerifyCommands),
  /** In words, such as `20 minutes`. */
  estimate: z.string().max(100).nullable(),
});
export type PlannedTask = z.infer<typeof plannedTask>;

/** Column `loops.plan`. */
export const keptPlan = z.object({ summary: z.string(), tasks: z.array(keptTask) });

/** A plan as it may be written. */
export const plan = keptPlan.extend({
  /** What is going to be done, in a few sentences. */
  summary: z.string().max(5_000),
  tasks: z.array(plannedTask).min(1),
});
export type Plan = z.infer<typeof plan>;
