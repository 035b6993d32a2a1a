import { expect, it } from "vitest";
import { StderrFlood } from "./stderr-flood.ts";

it("a burst is kept, what comes faster than it may is not, and after a pause there is room again", () => {
  const flood = new StderrFlood();
  const kept = (from: number, to: number): number => {
    let bytes = 0;
    for (let at = from; at < to; at += 1) if (flood.takes(4096, at)) bytes += 4096;
    return bytes;
  };
  expect(kept(0, 1_000)).toBeGreaterThanOrEqual(256 * 1024);
  expect(kept(1_000, 11_000)).toBeLessThanOrEqual(10 * 16 * 1024 + 4096);
  expect(kept(60_000, 60_100)).toBeGreaterThan(200 * 1024);
});

it("a clock that is set back gives nothing and takes nothing", () => {
  const flood = new StderrFlood();
  expect(flood.takes(256 * 1024, 10_000)).toBe(true);
  expect(flood.takes(1, 0)).toBe(false);
  expect(flood.takes(1024, 1_000)).toBe(true);
});
