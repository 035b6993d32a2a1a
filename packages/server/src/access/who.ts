/** Who asks. */
export type Who =
  | { kind: "key"; id: string; name: string }
  | { kind: "session"; id: string; name: string }
  /** A process of the owner's on this machine, without a key. */
  | { kind: "local" };

/** For the audit and for `updated by`. */
export function whoName(who: Who): string {
  return who.kind === "local" ? "local" : `${who.kind} ${who.name} (${who.id})`;
}
