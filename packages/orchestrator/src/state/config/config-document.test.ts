import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { configDocument } from "./config-document.ts";

const file = new URL("../../../../../docs/config.md", import.meta.url);

it("A17 docs/config.md says what the table of keys says", () => {
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, configDocument());
  expect(readFileSync(file, "utf8")).toBe(configDocument());
});
