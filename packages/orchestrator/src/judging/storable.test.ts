import { expect, it } from "vitest";
import { storable } from "./storable.ts";

it("what no database takes is replaced, wherever it stands, and the rest stays", () => {
  const value = { a: ["x\0y", { b: "half \ud83d", c: "\udc00" }], n: 1, none: null, whole: "🐯 é" };
  expect(storable(value)).toEqual({
    a: ["x\ufffdy", { b: "half \ufffd", c: "\ufffd" }],
    n: 1,
    none: null,
    whole: "🐯 é",
  });
});
