import { z } from "zod";
import { agentKind } from "./agent.ts";
import { longestInstructions, mostVerifyCommands } from "./longest.ts";
import { verifyCommand } from "./project.ts";
import { taskRisk, taskRole } from "./state.ts";

const path = z.string().min(1).max(1_000);

/** What may be said of a task, by whoever adds one or changes it while nobody works on it. */
export const taskFields = z.strictObject({
  title: z.string().trim().min(1).max(200),
  role: taskRole,
  instructions: z.string().trim().min(1).max(longestInstructions),
  needs: z.array(z.number().int().positive()).max(50).describe("numbers of tasks of this loop"),
  allowedPaths: z.array(path).max(200).describe("none: any path, and so it runs alone"),
  mayChange: z.array(path).max(200).optional(),
  verify: z.array(verifyCommand).max(mostVerifyCommands).optional(),
  risk: taskRisk.optional(),
  estimate: z.string().max(100).nullable().optional(),
  agent: agentKind.nullable().optional(),
});

/** Any of them, said anew. */
export const taskEdit = taskFields.partial();
type Edited = z.infer<typeof taskEdit>;
/** What is not said anew is absent. */
export type TaskEdit = { [Field in keyof Edited]?: Exclude<Edited[Field], undefined> };
