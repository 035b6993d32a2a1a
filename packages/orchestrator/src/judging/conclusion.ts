import type { JudgementEvidence, JudgementWord, ReworkPoint, TaskFailure } from "@opentiger/schema";
import { taskFailureOf } from "../recovery/task-failures.ts";

/** What a judgement came to, before it is written down. */
export interface Conclusion {
  judgement: JudgementWord;
  evidence: Found;
  points: ReworkPoint[];
  /** null: it passed. */
  failure: TaskFailure | null;
}

/** What speaks for or against it; as what it was judged follows from the plan. */
type Found = Omit<JudgementEvidence, "held">;

const none: Found = { rounds: [], redBefore: [], notes: [], opinions: [], trouble: null };

export function passed(evidence: Partial<Found>): Conclusion {
  return { judgement: "pass", evidence: { ...none, ...evidence }, points: [], failure: null };
}

/** There are points: whoever works on it again has to know what to mend. */
export function failed(
  points: readonly ReworkPoint[],
  evidence: Partial<Found> = {},
  type: "judge" | "conflict" = "judge",
): Conclusion {
  const [first] = points;
  const detail = [first?.file, first?.text].filter(Boolean).join(": ");
  return {
    judgement: "fail",
    evidence: { ...none, ...evidence },
    points: [...points],
    failure: taskFailureOf(type, points.length > 1 ? `${detail} (and ${points.length - 1} more)` : detail),
  };
}

/** Never a pass, whatever else was found. */
export function inconclusive(
  trouble: string,
  evidence: Partial<Found> = {},
  failure: TaskFailure = taskFailureOf("inconclusive", trouble),
): Conclusion {
  return { judgement: "inconclusive", evidence: { ...none, ...evidence, trouble }, points: [], failure };
}
