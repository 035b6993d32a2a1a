import { sizeOf } from "@opentiger/schema/units";
import { UsageError } from "../errors.ts";

/** Of a command line, in bytes. */
export function parseSize(text: string): number {
  const bytes = sizeOf(text);
  if (bytes !== undefined) return bytes;
  throw new UsageError(`"${text}" is not a size`, "Write a number with a unit: 512m, 2g.");
}
