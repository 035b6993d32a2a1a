import { z } from "zod";
import { longestInstructions } from "./longest.ts";
import { verifyCommand } from "./project.ts";
import { taskRisk, taskRole } from "./state.ts";

/** One task of a plan. */
export const plannedTask = z.object({
  /** A short name by which others of the plan need it. */
  key: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/),
  title: z.string().min(1).max(200),
  role: taskRole,
  instructions: z.string().min(1).max(longestInstructions),
  /** Keys of tasks that must be done before. */
  needs: z.array(z.string()).max(50),
  /** Paths or globs that it may change; none: anything, and so it runs alone. */
  allowedPaths: z.array(z.string().min(1).max(1_000)).max(200),
  /** Of `testPaths` and `protectedPaths`: those that it is meant to change. */
  mayChange: z.array(z.string().min(1).max(1_000)).max(200),
  /** Besides those of the project. */
  verify: z.array(verifyCommand).max(20),
  risk: taskRisk,
  /** In words, such as `20 minutes`. */
  estimate: z.string().max(100).nullable(),
});
export type PlannedTask = z.infer<typeof plannedTask>;

export const plan = z.object({
  /** What is going to be done, in a few sentences. */
  summary: z.string().max(5_000),
  tasks: z.array(plannedTask).min(1),
});
export type Plan = z.infer<typeof plan>;
