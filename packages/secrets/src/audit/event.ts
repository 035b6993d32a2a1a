import { z } from "zod";

const text = z.string().nullable();

/** One thing that was done to the vault, or refused. It never holds a value, nor a name that was not valid. */
export const auditEvent = z.object({
  at: z.iso.datetime(),
  uid: z.number().int(),
  user: z.string(),
  pid: z.number().int(),
  /** Which of our programs. */
  program: z.string(),
  action: z.enum(["add", "update", "delete", "lease", "value", "redeem", "renew", "revoke", "revoke_all"]),
  secret: text,
  lease: text,
  /** For whom the lease is. */
  who: text,
  sandbox: text,
  run: text,
  /** What a value was asked for. */
  purpose: text,
  outcome: z.enum(["ok", "refused"]),
  /** Why it was refused. */
  reason: text,
});
export type AuditEvent = z.infer<typeof auditEvent>;

/** What the vault says of an event; the rest is known from the process. */
export type AuditEntry = Pick<AuditEvent, "action"> & {
  [field in AuditField]?: AuditEvent[field] | undefined;
};
type AuditField = Exclude<keyof AuditEvent, keyof Actor | "at" | "action">;

export interface Actor {
  uid: number;
  user: string;
  pid: number;
  program: string;
}

/** A line stays far below what one write appends in one piece. */
const longestText = 256;

export function eventOf(entry: AuditEntry, actor: Actor, now: Date): AuditEvent {
  const { action, secret, lease, who, sandbox, run, purpose, outcome = "ok", reason } = entry;
  return {
    at: now.toISOString(),
    ...actor,
    action,
    secret: clipped(secret),
    lease: clipped(lease),
    who: clipped(who),
    sandbox: clipped(sandbox),
    run: clipped(run),
    purpose: clipped(purpose),
    outcome,
    reason: clipped(reason),
  };
}

function clipped(value: string | null | undefined): string | null {
  return value?.slice(0, longestText) ?? null;
}
