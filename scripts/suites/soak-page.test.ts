import { expect, test } from "vitest";
import { soakPage } from "./soak-page.mjs";

test("the page of a soak has each suite, and the proofs that took longest first", () => {
  const times = [
    { name: "short | odd", milliseconds: 1000 },
    { name: "200 kills", milliseconds: 90_000 },
  ];
  const results = [
    { name: "build", tally: { passed: 1, failed: 0, skipped: 0 }, milliseconds: 0 },
    { name: "crash", tally: { passed: 2, failed: 0, skipped: 0, times }, milliseconds: 100_000 },
  ];
  const total = { passed: 3, failed: 0, skipped: 0 };
  const page = soakPage({ results, total, milliseconds: 110_000, day: "2026-01-01", on: "Node v20" });
  expect(page).toContain("3 passed, 0 failed, in 110.0 s");
  expect(page.indexOf("200 kills")).toBeLessThan(page.indexOf("short \\| odd"));
});
