import { expect, test } from "vitest";
import { soakPage } from "./soak-page.mjs";

test("the page of a soaked suite has the proofs that took longest first", () => {
  const times = [
    { name: "short | odd", milliseconds: 1000 },
    { name: "200 kills", milliseconds: 90_000 },
  ];
  const tally = { passed: 2, failed: 0, skipped: 0, times };
  const page = soakPage({ name: "crash", tally, milliseconds: 110_000, day: "2026-01-01", on: "Node v20" });
  expect(page).toContain("2 passed, 0 failed, in 110.0 s");
  expect(page.indexOf("200 kills")).toBeLessThan(page.indexOf("short \\| odd"));
});
