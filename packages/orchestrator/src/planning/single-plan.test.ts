import { plan } from "@opentiger/schema";
import { expect, it } from "vitest";
import { singlePlan } from "./single-plan.ts";

it("a single task may change protected files only where that was said", () => {
  expect(singlePlan("Add a lint script").tasks).toMatchObject([{ role: "worker", mayChange: [] }]);
  const said = singlePlan("Add a lint script", ["package.json"]);
  expect(plan.parse(said).tasks).toMatchObject([{ allowedPaths: [], mayChange: ["package.json"] }]);
});

it.each([
  ["#\n\n## Add a lint script", "Add a lint script"],
  ["##", "##"],
])("the title is the first line that says something: %j", (requirement, title) => {
  expect(plan.parse(singlePlan(requirement)).tasks).toMatchObject([{ title }]);
});
