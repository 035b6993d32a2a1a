import { judgeStage } from "../judging/judge-stage.ts";
import { mergeStage } from "../merging/merge-stage.ts";
import { planStage } from "../planning/plan-stage.ts";
import { runStage } from "../running/run-stage.ts";
import { failStage } from "./fail-stage.ts";
import type { StageWork } from "./work.ts";

/** The stages as they are worked on. */
export const stageWork: StageWork = {
  plan: planStage,
  run: runStage,
  judge: judgeStage,
  merge: (place, lease, signal) => mergeStage(place, lease, signal),
  failed: failStage,
};
