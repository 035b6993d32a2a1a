import { describe, expect, it } from "vitest";
import { covering } from "./covering.ts";

const cases = ["a", "b", "c", "d", "e"];

describe("a covering selection", () => {
  it("has every case once, and each in turn", () => {
    expect(covering(cases, [1, 2, 3], undefined, false)).toEqual([
      ["a", 1],
      ["b", 2],
      ["c", 3],
      ["d", 1],
      ["e", 2],
    ]);
  });

  it("keeps to the turns that are named", () => {
    const chosen = covering(cases, [1, 2, 3], [3, 3, 1], false);
    expect(chosen.map(([, one]) => one)).toEqual([3, 3, 1, 3, 3]);
  });

  it("is everything with everything at full size, whatever the turns", () => {
    const all = covering(cases, [1, 2, 3], [1], true);
    expect(all).toHaveLength(15);
    expect(new Set(all.map(String)).size).toBe(15);
  });

  it("is refused where nobody can take a turn", () => {
    expect(() => covering(cases, [1], [], false)).toThrow("nobody");
  });
});
