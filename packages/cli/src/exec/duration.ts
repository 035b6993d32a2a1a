import { durationOf } from "@opentiger/schema/units";
import { UsageError } from "../errors.ts";

/** Of a command line, in milliseconds. */
export function parseDuration(text: string): number {
  const ms = durationOf(text);
  if (ms !== undefined) return ms;
  throw new UsageError(
    `"${text}" is not a duration`,
    "Write seconds or a number with a unit: 90, 90s, 15m, 2h, 7d.",
  );
}
