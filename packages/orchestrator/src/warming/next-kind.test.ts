import { describe, expect, it } from "vitest";
import { nextKind, type WantedKind, wantedKinds } from "./next-kind.ts";

function wanted(key: string, open: number): WantedKind {
  return { kind: { key, options: { image: key, workspaces: [] } }, open };
}

function warm(...keys: (string | null)[]): { key: string | null }[] {
  return keys.map((key) => ({ key }));
}

function next(kinds: readonly WantedKind[], there: { key: string | null }[], size: number) {
  const found = nextKind(kinds, there, size);
  return found && [found.kind.key, found.count];
}

describe("the sandbox that is parked next", () => {
  it("is one of the kind that has fewest, so that no loop waits for another's", () => {
    expect(next([wanted("a", 9), wanted("b", 9)], warm(), 4)).toEqual(["a", 1]);
    expect(next([wanted("a", 9), wanted("b", 9)], warm("a"), 4)).toEqual(["b", 1]);
    expect(next([wanted("a", 9), wanted("b", 9)], warm("a", "b"), 4)).toEqual(["a", 2]);
  });

  it("is none more than are going to be needed", () => {
    expect(next([wanted("a", 1)], warm("a"), 4)).toBeUndefined();
    expect(next([wanted("a", 1), wanted("b", 2)], warm("a", "b"), 4)).toEqual(["b", 2]);
    expect(next([], warm(), 4)).toBeUndefined();
  });

  it("is none more in all than there may be, of whatever kind they are", () => {
    expect(next([wanted("a", 9)], warm("old", "old"), 2)).toBeUndefined();
    expect(next([wanted("a", 9)], warm(), 0)).toBeUndefined();
  });

  it("does not wait for what is left of one that was never finished", () => {
    expect(next([wanted("a", 9)], warm(null, null), 2)).toEqual(["a", 1]);
  });
});

it("loops whose sandboxes are alike share them", () => {
  const kinds = wantedKinds([wanted("a", 1), wanted("b", 2), wanted("a", 3)]);
  expect(kinds.map(({ kind, open }) => [kind.key, open])).toEqual([
    ["a", 4],
    ["b", 2],
  ]);
});
