import type { Asked } from "@opentiger/agents";
import type { Plan } from "@opentiger/schema";
import { askAgent } from "../agent/ask.ts";
import { chosenFor } from "../agent/chosen.ts";
import { openRun } from "../agent/open-run.ts";
import { usedIn } from "../agent/used.ts";
import type { Place } from "../place.ts";
import type { Lease } from "../state/lease.ts";
import { noteRun, type RunRow } from "../state/runs.ts";
import type { PlanLimits } from "./check-plan.ts";
import type { Ground } from "./ground.ts";
import { planAnswer, planOfAnswer } from "./plan-answer.ts";
import { plannerPrompt, plannerRules } from "./planner-prompt.ts";
import { projectInstructions } from "./project-instructions.ts";

/** Asks the planner, who reads the repository and changes nothing of it. An answer that is no plan goes back, bounded. */
export async function askPlanner(
  place: Place,
  lease: Lease,
  ground: Ground,
  limits: PlanLimits,
  signal: AbortSignal,
): Promise<{ run: RunRow; asked: Asked<Plan> }> {
  const { loop, environment, planner, sandbox, baseOid } = ground;
  const run = await openRun(place, lease, { agent: planner.name, role: "planner", baseOid });
  const { choice } = await chosenFor(place, run, { environment, choice: planner });
  const asked = await askAgent(place, {
    lease,
    loop,
    run,
    choice,
    sandbox,
    systemPrompt: plannerRules,
    prompt: plannerPrompt({ ...ground, requirement: loop.requirement }, limits),
    schema: planAnswer(limits),
    instructions: await projectInstructions(ground),
    projectSettings: place.config.get("OPENTIGER_PROJECT_SETTINGS"),
    tries: place.config.get("OPENTIGER_PLAN_TRIES"),
    timeoutMs: place.config.get("OPENTIGER_PLAN_TIMEOUT"),
    signal,
  });
  await noteRun(place.database, lease, run.id, usedIn(asked.outcomes));
  return { run, asked: asked.ok ? { ...asked, answer: planOfAnswer(asked.answer) } : asked };
}
