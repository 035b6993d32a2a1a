import type { ConfigJson } from "@opentiger/schema";
import { z } from "zod";
import { allRows, type Queryable } from "../rows.ts";
import { storableJson } from "../storable.ts";

/** A row of `system_config`. */
export interface StoredValue {
  value: unknown;
  updatedAt: Date;
  updatedBy: string;
}

/** On which every change is told, within the transaction that makes it. */
export const configChannel = "system_config";

const row = z.object({ key: z.string(), value: z.unknown(), updated_at: z.date(), updated_by: z.string() });

/** Also rows whose key this program does not know: another version may. */
export async function storedValues(on: Queryable): Promise<ReadonlyMap<string, StoredValue>> {
  const rows = await allRows(on, row, "select key, value, updated_at, updated_by from system_config");
  return new Map(
    rows.map((found) => [
      found.key,
      { value: found.value, updatedAt: found.updated_at, updatedBy: found.updated_by },
    ]),
  );
}

/** null removes the row, so that the default is in force again. Part of the caller's transaction. */
export async function storeValue(on: Queryable, key: string, value: ConfigJson, by: string): Promise<void> {
  if (value === null) await on.query("delete from system_config where key = $1", [key]);
  else {
    await on.query(
      `insert into system_config (key, value, updated_by) values ($1, $2::jsonb, $3)
       on conflict (key) do update set value = excluded.value, updated_by = excluded.updated_by, updated_at = now()`,
      [key, storableJson(value), by],
    );
  }
  await on.query("select pg_notify($1, $2)", [configChannel, key]);
}
