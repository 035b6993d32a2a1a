import type { LoopSource, Plan } from "@opentiger/schema";
import { singlePlan } from "./single-plan.ts";

/** The plan of a loop for which no planner is asked; undefined: one is. */
export function givenPlan(source: LoopSource, requirement: string): Plan | undefined {
  if (source.kind === "prose") return undefined;
  if (source.kind === "single") return singlePlan(requirement, source.mayChange);
  return { summary: source.summary, tasks: source.tasks };
}
