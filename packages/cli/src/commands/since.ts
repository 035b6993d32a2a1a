import { durationOf } from "@opentiger/schema/units";
import { UsageError } from "../errors.ts";

const remedy = "Write how long ago, or a time that has passed: 30m, 2h, 1d, 2026-01-31T09:00:00Z.";

/** The time that `--since` names, as everything that is logged has it. */
export function parseSince(text: string, now: Date): string {
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : now.getTime() - (durationOf(text) ?? Number.NaN);
  if (Number.isNaN(time)) throw new UsageError(`"${text}" is not a time`, remedy);
  if (time > now.getTime()) throw new UsageError(`${text} has not been yet`, remedy);
  return new Date(time).toISOString();
}
