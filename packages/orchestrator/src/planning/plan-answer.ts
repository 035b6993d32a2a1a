import { type Plan, plan, taskRisks, taskRoles } from "@opentiger/schema";
import { z } from "zod";
import { type PlanLimits, planProblems } from "./check-plan.ts";

/** What the planner is asked for: plain forms, which every model's API takes; how long and how many is checked by us. */
const answeredTask = z.object({
  key: z.string(),
  title: z.string(),
  role: z.enum(taskRoles),
  instructions: z.string(),
  needs: z.array(z.string()),
  allowedPaths: z.array(z.string()),
  mayChange: z.array(z.string()),
  verify: z.array(z.string()),
  risk: z.enum(taskRisks),
  estimate: z.string().nullable(),
});
const answeredPlan = z.object({ summary: z.string(), tasks: z.array(answeredTask) });
export type PlanAnswer = z.infer<typeof answeredPlan>;

/** An answer in this form can be carried out: what could not goes back with all that is wrong with it. */
export function planAnswer(limits: PlanLimits): z.ZodType<PlanAnswer> {
  return answeredPlan.superRefine((answer, { addIssue }) => {
    const parsed = plan.safeParse(asWritten(answer));
    if (!parsed.success) {
      for (const { path, message } of parsed.error.issues) addIssue({ code: "custom", path, message });
      return;
    }
    for (const { text } of planProblems(parsed.data, limits)) addIssue({ code: "custom", message: text });
  });
}

/** The plan that an answer is. */
export function planOfAnswer(answer: PlanAnswer): Plan {
  return plan.parse(asWritten(answer));
}

function asWritten({ summary, tasks }: PlanAnswer): unknown {
  return {
    summary,
    tasks: tasks.map((task) => ({ ...task, verify: task.verify.map((command) => ({ command })) })),
  };
}
