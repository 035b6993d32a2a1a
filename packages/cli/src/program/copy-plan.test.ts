import { expect, test } from "vitest";
import { readCopyPlan } from "./copy-plan.ts";

test.each([
  ["a.txt", "box:/tmp/", { direction: "in", sandbox: "box", inside: "/tmp/", local: "a.txt" }],
  ["box:/x y", ".", { direction: "out", sandbox: "box", inside: "/x y", local: "." }],
  ["./a:b", "box:c:d", { direction: "in", sandbox: "box", inside: "c:d", local: "./a:b" }],
  ["box:", "-", { direction: "out", sandbox: "box", inside: ".", local: "-" }],
  ["-", "box:/", { direction: "in", sandbox: "box", inside: "/", local: "-" }],
])("%s %s", (from, to, plan) => {
  expect(readCopyPlan(from, to)).toEqual(plan);
});

test.each([
  ["a", "b"],
  ["box:a", "other:b"],
  [":a", "b"],
])("%s %s is refused", (from, to) => {
  expect(() => readCopyPlan(from, to)).toThrow(/cp /);
});
