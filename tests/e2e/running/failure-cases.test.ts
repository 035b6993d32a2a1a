import { readFileSync } from "node:fs";
import { taskFailureTypes } from "@opentiger/schema";
import { expect, test } from "vitest";
import {
  aroundRuns,
  hurried,
  misled,
  ofSandboxes,
  ofSilence,
  shownElsewhere,
  withinRuns,
} from "./failure-cases.ts";

const tried = [...withinRuns, ofSilence, ...aroundRuns, misled, hurried, ...ofSandboxes];

test("every type of failure is shown to end as the table says, by one case or by a test elsewhere", () => {
  const shown = [...tried.map(({ type }) => type), ...Object.keys(shownElsewhere)];
  expect(shown.toSorted()).toEqual(taskFailureTypes.toSorted());
});

test.each(Object.entries(shownElsewhere))("%s is shown where it is said to be", (_type, [file, name]) => {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
  const names = [...text.matchAll(/\b(?:it|test)\("(.*?)"/g)].map(([, each]) => each);
  expect(names).toContainEqual(expect.stringContaining(name));
});
