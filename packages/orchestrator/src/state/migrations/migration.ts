import { createHash } from "node:crypto";

/** One step from the database of one version to that of the next. Once released it is never changed. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/** By which a step that was changed afterwards is found out. How its lines are indented does not count. */
export function checksum({ sql }: Pick<Migration, "sql">): string {
  const lines = sql.split("\n").map((line) => line.trim());
  const text = lines.filter((line) => line !== "").join("\n");
  return createHash("sha256").update(text).digest("hex");
}
