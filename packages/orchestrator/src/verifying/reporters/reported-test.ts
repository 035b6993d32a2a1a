/** One test, as a reporter told of it. */
export interface ReportedTest {
  /** As it was written; null where the reporter does not say. */
  file: string | null;
  name: string;
  result: "passed" | "failed" | "skipped";
  /** What it says of a failure. */
  output: string;
  durationMs: number;
}

/** A reporter's reader throws this where what it reads is no whole report. Its message continues "the report …". */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

/** Rounds of checks are kept in the database. */
export const maxTests = 50_000;
