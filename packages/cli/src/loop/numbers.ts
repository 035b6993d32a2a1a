import { UsageError } from "../errors.ts";

export function parseDollars(written: string): number {
  return positive(written, /^\d{1,9}(\.\d{1,4})?$/, "2.50");
}

export function parseTokens(written: string): number {
  return positive(written, /^\d{1,12}$/, "5000000");
}

export function parseCount(written: string): number {
  return positive(written, /^\d{1,4}$/, "20");
}

function positive(written: string, pattern: RegExp, example: string): number {
  const value = Number(written);
  if (pattern.test(written) && value > 0) return value;
  throw new UsageError(`"${written}" is not an amount`, `Write a number greater than 0, such as ${example}.`);
}
