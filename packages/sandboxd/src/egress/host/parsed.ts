/** What a parser of untrusted text gives: the canonical value, or why there is none, as half a sentence. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; reason: string };

export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

export function refused(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}
