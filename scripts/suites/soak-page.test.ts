import { expect, test } from "vitest";
import { soakPage } from "./soak-page.mjs";

test("the page of a soaked suite has the proofs that took longest first", () => {
  const times = [
    { name: "short | odd", milliseconds: 1000 },
    { name: "200 kills", milliseconds: 90_000 },
  ];
  const tally = { passed: 2, failed: 0, skipped: 0, times };
  const page = soakPage({ name: "crash", tally, milliseconds: 110_000, day: "2026-01-01" });
  expect(page).toContain(`full size`);
  expect(page).toContain(process.version);
  expect(page).toContain("2 passed, 0 failed, in 110.0 s");
  expect(page.indexOf("200 kills")).toBeLessThan(page.indexOf("short \\| odd"));
});

test("the page of a suite on another Node says so, and that it is not at full size", () => {
  const tally = { passed: 1, failed: 0, skipped: 0, times: [] };
  const page = soakPage({ name: "unit-node24", node: "v24.9.0", tally, milliseconds: 1, day: "2026-01-01" });
  expect(page).toContain("Node v24.9.0");
  expect(page).not.toContain("full size");
});
