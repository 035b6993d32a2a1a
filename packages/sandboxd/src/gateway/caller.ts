/** Who makes a request: known by the stream it came on, or on the host by its token; never by what it says itself. */
export interface GatewayCaller {
  sandboxId: string;
  sandboxName: string;
  run?: string | undefined;
  loop?: string | undefined;
  /** Host mode only: what the caller sends in place of a credential. */
  token?: string | undefined;
}

/** What is counted and limited for itself. */
export const scopeKinds = ["sandbox", "run", "loop", "day"] as const;
export type ScopeKind = (typeof scopeKinds)[number];

export interface Scope {
  kind: ScopeKind;
  id: string;
}

/** Everything that a request of this caller counts for at this time. */
export function scopesOf(
  { sandboxId, run, loop }: Pick<GatewayCaller, "sandboxId" | "run" | "loop">,
  at: Date,
): Scope[] {
  const scopes: Scope[] = [{ kind: "sandbox", id: sandboxId }];
  if (run !== undefined) scopes.push({ kind: "run", id: run });
  if (loop !== undefined) scopes.push({ kind: "loop", id: loop }, dayOf(at));
  return scopes;
}

/** What all loops use together from 00:00 UTC to 24:00. */
export function dayOf(at: Date): Scope {
  return { kind: "day", id: at.toISOString().slice(0, "2000-01-01".length) };
}

export function scopeKey({ kind, id }: Scope): string {
  return `${kind}:${id}`;
}
