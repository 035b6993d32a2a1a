import type { CheckRound, ReworkPoint, TaskFailure } from "@opentiger/schema";
import type { RunColumns } from "../state/change-columns.ts";
import type { Worked } from "./agent-work.ts";
import type { Committed } from "./harness-commit.ts";

/** What a run came to, before it is written down. */
export type RunResult = {
  worked?: Worked;
  /** What the agent left, where that was committed. */
  left?: Committed;
  round?: CheckRound;
} & ({ candidate: string } | { failure: TaskFailure; points?: ReworkPoint[] });

/** What is known of the run from what its agent came to. */
export function runColumns(worked: Worked | undefined): RunColumns {
  if (!worked) return {};
  const { session, tokens, usd } = worked;
  return {
    ...(session === null ? {} : { session }),
    ...(tokens === null ? {} : { tokens }),
    ...(usd === null ? {} : { usd }),
  };
}
