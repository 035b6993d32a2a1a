import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { stateModelDocument } from "./state-model-document.ts";

const file = new URL("../../../../docs/state-model.md", import.meta.url);

it("A17 docs/state-model.md says what the words and the table say", () => {
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, stateModelDocument());
  expect(readFileSync(file, "utf8")).toBe(stateModelDocument());
});
