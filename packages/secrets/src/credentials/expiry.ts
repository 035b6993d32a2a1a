import { type Secret, sizeOf } from "../secrets/secret.ts";
import { type SecretKind, wellKnownSecret } from "./well-known.ts";

const dayMs = 86_400_000;

/** How long before the end a user is told: time enough to be away for a few weeks. */
export const warningDays = 30;

export type SecretState = "ok" | "expiring" | "expired";

/** What may be shown of a secret: everything but its value. */
export interface SecretSummary {
  name: string;
  kind: SecretKind;
  /** In bytes. */
  size: number;
  createdAt: string;
  updatedAt: string;
  /** Since the value was last set. */
  ageSeconds: number;
  expiresAt: string | null;
  state: SecretState;
}

export function summaryOf(secret: Secret, now: Date): SecretSummary {
  const { name, createdAt, updatedAt } = secret;
  const expiresAt = expiryOf(secret);
  return {
    name,
    kind: wellKnownSecret(name)?.kind ?? "other",
    size: sizeOf(secret),
    createdAt,
    updatedAt,
    ageSeconds: Math.max(0, Math.floor((now.getTime() - Date.parse(updatedAt)) / 1000)),
    expiresAt,
    state: stateAt(expiresAt, now),
  };
}

/** What the user said comes first; else the lifetime that such a secret is known to have. */
function expiryOf({ name, updatedAt, expiresAt }: Secret): string | null {
  if (expiresAt) return expiresAt;
  const days = wellKnownSecret(name)?.lifetimeDays;
  return days === undefined ? null : new Date(Date.parse(updatedAt) + days * dayMs).toISOString();
}

function stateAt(expiresAt: string | null, now: Date): SecretState {
  if (expiresAt === null) return "ok";
  const left = Date.parse(expiresAt) - now.getTime();
  if (left <= 0) return "expired";
  return left <= warningDays * dayMs ? "expiring" : "ok";
}

/** The sentence that goes with an expiring or expired secret; undefined for one that is neither. */
export function expiryWarning({ name, state, expiresAt }: SecretSummary, now: Date): string | undefined {
  if (state === "ok" || expiresAt === null) return undefined;
  const day = expiresAt.slice(0, 10);
  if (state === "expired") return `${name} expired on ${day}`;
  const days = Math.ceil((Date.parse(expiresAt) - now.getTime()) / dayMs);
  return `${name} expires on ${day}, in ${days} ${days === 1 ? "day" : "days"}`;
}
