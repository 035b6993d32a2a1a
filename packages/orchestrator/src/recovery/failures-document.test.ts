import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { failuresDocument } from "./failures-document.ts";

const file = new URL("../../../../docs/failures.md", import.meta.url);

it("docs/failures.md says what the table says", () => {
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, failuresDocument());
  expect(readFileSync(file, "utf8")).toBe(failuresDocument());
});
