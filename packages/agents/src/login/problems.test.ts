import { readFileSync } from "node:fs";
import { loginProblemCodes } from "@opentiger/schema";
import { expect, it } from "vitest";
import { loginProblems, loginProblemTable } from "./problems.ts";

const page = readFileSync(new URL("../../../../docs/logins.md", import.meta.url), "utf8");

it("A8 every code has a meaning and a remedy, in the order of the schema", () => {
  expect(Object.keys(loginProblems)).toEqual([...loginProblemCodes]);
});

it("A16 docs/logins.md has the table as the code has it", () => {
  expect(page).toContain(loginProblemTable());
});
