import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Parts } from "../parts.ts";
import { createApp } from "./app.ts";
import { documentOf } from "./openapi.ts";

const file = new URL("../../../../docs/openapi.json", import.meta.url);

/** After a change of the API: UPDATE_DOCS=1 npx vitest run --project unit packages/server/src/api/openapi.test.ts */
it("docs/openapi.json is the document of the API", () => {
  // Routes are only described here, and nothing of this is asked for before one of them is called.
  const parts = new Proxy({}, { get: () => new Proxy({}, { get: () => undefined }) }) as Parts;
  const document = `${JSON.stringify(documentOf(createApp(parts)), undefined, 2)}\n`;
  if (process.env["UPDATE_DOCS"]) writeFileSync(file, document);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(document));
});
