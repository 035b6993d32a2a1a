import { onePage, oneRow, type Page, type PageRequest, type Queryable } from "@opentiger/orchestrator";
import { z } from "zod";

/** One thing that was asked to be done. What was in the request is not here: it may be a secret. */
export const auditRow = z.object({
  id: z.number(),
  at: z.date(),
  who: z.string(),
  address: z.string(),
  /** The route, as `POST /loops/{id}/cancel`. */
  action: z.string(),
  /** The path that was asked. */
  target: z.string(),
  /** What was answered; null: nobody knows, or not yet. */
  status: z.number().nullable(),
});
export type AuditRow = z.infer<typeof auditRow>;

export type NewAudit = Pick<AuditRow, "who" | "address" | "action" | "target">;

const columns = "id, at, who, address, action, target, status";

/** Written before it is done: what was done is never without a row. */
export async function beginAudit(on: Queryable, { who, address, action, target }: NewAudit): Promise<number> {
  const { id } = await oneRow(
    on,
    z.object({ id: z.number() }),
    "insert into audit (who, address, action, target) values ($1, $2, $3, $4) returning id",
    [who, address, action, target.slice(0, 500)],
  );
  return id;
}

/** On which it is told that something was done: whoever shows what may have changed by it looks again. */
export const auditChannel = "audit";

export async function endAudit(on: Queryable, id: number, status: number): Promise<void> {
  await on.query(
    `with ended as (update audit set status = $2 where id = $1 returning id)
     select pg_notify($3, id::text) from ended`,
    [id, status, auditChannel],
  );
}

interface AuditFilter {
  who?: string | undefined;
  action?: string | undefined;
  /** What it begins with. */
  target?: string | undefined;
  status?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** The newest first. */
export async function listAudit(
  on: Queryable,
  { who, action, target, status, from, to, ...page }: PageRequest & AuditFilter,
): Promise<Page<AuditRow>> {
  return onePage(
    on,
    auditRow,
    `select ${columns}, id as place from audit
     where ($1::bigint is null or id < $1) and ($3::text is null or who = $3) and ($4::text is null or action = $4)
       and ($5::text is null or starts_with(target, $5)) and ($6::int is null or status = $6)
       and ($7::timestamptz is null or at >= $7) and ($8::timestamptz is null or at <= $8)
     order by id desc limit $2`,
    page,
    [who ?? null, action ?? null, target ?? null, status ?? null, from ?? null, to ?? null],
  );
}

/** A year is long enough to look for what happened, and bounds the table. */
export async function forgetOldAudit(on: Queryable): Promise<void> {
  await on.query("delete from audit where at < now() - interval '1 year'");
}
