import { UsageError } from "../errors.ts";

const pattern = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** `2027-01-31`, or a time with its zone: `2027-01-31T12:00Z`. */
export function parseExpiryDate(text: string, now: Date): Date {
  const day = pattern.exec(text)?.[1];
  const date = new Date(text);
  // JavaScript takes the 31st of February for a day in March.
  if (day === undefined || Number.isNaN(date.getTime()) || !isDay(day)) {
    throw new UsageError(`"${text}" is not a date`, "Write it as 2027-01-31.");
  }
  if (date > now) return date;
  throw new UsageError(`${text} is over`, "Give the day on which the secret will expire.");
}

function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
