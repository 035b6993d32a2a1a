import { z } from "zod";
import { OrchestratorError } from "../errors.ts";

/** Something that answers SQL: the database, or the one connection of a transaction. */
export interface Queryable {
  query(text: string, values?: readonly unknown[]): Promise<Answer>;
}

export interface Answer {
  rows: readonly unknown[];
  /** How many rows were found or changed. */
  count: number;
}

/** The rows of an answer, each in this form: what the table holds is checked where it enters the program. */
export async function allRows<T>(
  on: Queryable,
  shape: z.ZodType<T>,
  text: string,
  values: readonly unknown[] = [],
): Promise<T[]> {
  const { rows } = await on.query(text, values);
  const parsed = z.array(shape).safeParse(rows);
  if (parsed.success) return parsed.data;
  throw new OrchestratorError(
    "internal",
    `the database answers in another form than expected: ${text.trim()}`,
    {
      remedy: "if somebody changed the tables by hand, put them back; else this is an error of openTiger",
      cause: parsed.error,
    },
  );
}

/** The only row; undefined where there is none. More than one is an error of the statement. */
export async function firstRow<T>(
  on: Queryable,
  shape: z.ZodType<T>,
  text: string,
  values: readonly unknown[] = [],
): Promise<T | undefined> {
  const rows = await allRows(on, shape, text, values);
  if (rows.length <= 1) return rows[0];
  throw new OrchestratorError("internal", `${rows.length} rows where one was expected: ${text.trim()}`);
}

/** The only row of a statement that always has one. */
export async function oneRow<T>(
  on: Queryable,
  shape: z.ZodType<T>,
  text: string,
  values: readonly unknown[] = [],
): Promise<T> {
  const row = await firstRow(on, shape, text, values);
  if (row !== undefined) return row;
  throw new OrchestratorError("internal", `no row where one was expected: ${text.trim()}`);
}
