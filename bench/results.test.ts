import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { execNames } from "./exec.ts";
import { lifecycleNames } from "./lifecycle.ts";

const page = readFileSync(new URL("RESULTS.md", import.meta.url), "utf8");

/** What was published for `docker sandbox` of Docker Desktop, in milliseconds. */
const published = [
  { what: "create", row: lifecycleNames.cold, ms: 14_000 },
  { what: "exec", row: execNames.command, ms: 90 },
  { what: "stop", row: lifecycleNames.stop, ms: 11_000 },
  { what: "remove", row: lifecycleNames.remove, ms: 150 },
];

test.each(published)("B7 the figures that we publish beat those to beat: $what", ({ row, ms }) => {
  const cells = page
    .split("\n")
    .find((line) => line.startsWith(`| ${row} |`))
    ?.split("|");
  expect(Number(cells?.[2])).toBeGreaterThan(0);
  expect(Number(cells?.[2])).toBeLessThan(ms);
});
