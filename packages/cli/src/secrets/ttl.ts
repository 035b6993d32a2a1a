import { parseDuration } from "../exec/duration.ts";

const hoursOfDay = 24;

/** A duration as everywhere, and `7d`: leases live longer than commands. */
export function parseTtl(text: string): number {
  const days = /^(\d{1,4})d$/.exec(text)?.[1];
  return parseDuration(days === undefined ? text : `${Number(days) * hoursOfDay}h`);
}
