import { describe, expect, it } from "vitest";
import { sideBySide, summarise } from "./measure.ts";

describe("measuring", () => {
  it("gives the nearest rank, a value that was measured", () => {
    const times = Array.from({ length: 20 }, (_, index) => 20 - index);
    expect(summarise("x", times)).toEqual({ name: "x", p50: 10, p95: 19, runs: 20, failures: 0 });
  });

  it("takes turns, and counts a failure instead of timing it", async () => {
    const order: string[] = [];
    const subject = (name: string) => ({ name, run: async () => void order.push(name) });
    const failing = { name: "c", run: () => Promise.reject(new Error("no")) };
    const [a, , c] = await sideBySide([subject("a"), subject("b"), failing], 2, 0);
    expect(order).toEqual(["a", "b", "a", "b"]);
    expect(a?.runs).toBe(2);
    expect(c).toMatchObject({ runs: 0, failures: 2 });
  });
});
