import { UsageError } from "../errors.ts";

const units: Record<string, number> = { "": 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** `512m`, `2g`, `1.5GiB`, `1048576`: as docker writes sizes, always in powers of 1024. */
export function parseSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)([bkmgt]?)(?:i?b)?$/.exec(text.toLowerCase());
  const bytes = Math.round(Number(match?.[1]) * (units[match?.[2] ?? ""] ?? Number.NaN));
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new UsageError(`"${text}" is not a size`, "Write a number with a unit: 512m, 2g.");
}
