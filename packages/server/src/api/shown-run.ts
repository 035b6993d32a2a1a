import type { RunRow } from "@opentiger/orchestrator";

/** A run as it is shown: where its files lie is nobody's business. */
export function shownRun(run: RunRow): Omit<RunRow, "transcript"> {
  const shown: Omit<RunRow, "transcript"> & Partial<RunRow> = { ...run };
  delete shown.transcript;
  return shown;
}
