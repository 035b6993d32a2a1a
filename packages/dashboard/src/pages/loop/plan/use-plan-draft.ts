import type { Plan } from "@opentiger/schema";
import { useState } from "react";
import type { Loop } from "../../../api/types.ts";

export interface PlanDraft {
  plan: Plan;
  setPlan(plan: Plan): void;
  /** Something of it is not saved. */
  isChanged: boolean;
  /** Somebody else has saved another plan since this one was begun. */
  isChangedElsewhere: boolean;
  takeTheirs(): void;
}

const empty: Plan = { summary: "", tasks: [] };

/** The plan as a person is changing it. It stays whatever happens to the loop, until it is saved or given up. */
export function usePlanDraft({ plan: given }: Pick<Loop, "plan">): PlanDraft {
  const theirs = given ?? empty;
  const [begun, setBegun] = useState(theirs);
  const [plan, setPlan] = useState(theirs);
  const isChanged = !same(plan, begun) && !same(plan, theirs);
  const takeTheirs = () => {
    setBegun(theirs);
    setPlan(theirs);
  };
  // What nobody has touched, and what was just saved, follows the server.
  if (!isChanged && !same(begun, theirs)) takeTheirs();
  return { plan, setPlan, isChanged, isChangedElsewhere: isChanged && !same(begun, theirs), takeTheirs };
}

function same(one: Plan, other: Plan): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
