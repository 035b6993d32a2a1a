import { expect, test } from "vitest";
import { cutTo, fitTo, widthOf } from "./width.ts";

test("characters that take two columns count as two", () => {
  expect(widthOf("naïve")).toBe(5);
  expect(widthOf("虎🐯")).toBe(4);
});

test("what is cut never takes more columns than there are", () => {
  expect(cutTo(5, "tiger")).toBe("tiger");
  expect(cutTo(4, "tiger")).toBe("tig…");
  expect(cutTo(4, "虎虎虎")).toBe("虎…");
  expect(cutTo(0, "tiger")).toBe("");
});

test("what is too short is filled up", () => {
  expect(fitTo(6, "tiger")).toBe("tiger ");
  expect(widthOf(fitTo(6, "虎虎虎虎"))).toBe(6);
});
