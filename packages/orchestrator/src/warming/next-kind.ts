import type { WarmSandbox } from "@opentiger/sandbox";
import type { WarmKind } from "./warm-kind.ts";

/** Sandboxes of one kind, and how many of them are going to be needed. */
export interface WantedKind {
  kind: WarmKind;
  open: number;
}

/** Loops whose sandboxes are alike share them. */
export function wantedKinds(wanted: readonly WantedKind[]): WantedKind[] {
  const byKey = new Map<string, WantedKind>();
  for (const { kind, open } of wanted) {
    const known = byKey.get(kind.key);
    byKey.set(kind.key, { kind: known?.kind ?? kind, open: (known?.open ?? 0) + open });
  }
  return [...byKey.values()];
}

/**
 * Of which kind the next sandbox is to be parked, and how many there are of it then: of the one that has fewest, never
 * more than are going to be needed, and never more in all than may be. undefined: there are enough.
 */
export function nextKind(
  wanted: readonly WantedKind[],
  warm: readonly Pick<WarmSandbox, "key">[],
  size: number,
): { kind: WarmKind; count: number } | undefined {
  // What is left of one is no sandbox.
  if (warm.filter(({ key }) => key !== null).length >= size) return undefined;
  const missing = wanted
    .map(({ kind, open }) => ({ kind, open, have: warm.filter(({ key }) => key === kind.key).length }))
    .filter(({ open, have }) => have < open)
    .toSorted((one, other) => one.have - other.have);
  const [first] = missing;
  return first && { kind: first.kind, count: first.have + 1 };
}
