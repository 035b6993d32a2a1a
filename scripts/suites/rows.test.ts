import { expect, it } from "vitest";
import { inRows } from "./rows.mjs";
import { SUITES } from "./suites.mjs";

const named = (...names: string[]) =>
  inRows(SUITES.filter(({ name }) => names.includes(name))).map(({ front, beside }) =>
    [front, ...beside].map(({ name }) => name),
  );

it("every suite runs once", () => {
  const names = SUITES.map(({ name }) => name);
  expect(
    named(...names)
      .flat()
      .toSorted(),
  ).toEqual(names.toSorted());
});

it("a suite runs beside the one that leaves it room", () => {
  expect(named("check", "node24", "unit", "e2e")).toEqual([["check", "node24"], ["unit"], ["e2e"]]);
});

it("a suite whose neighbour was not asked for runs by itself", () => {
  expect(named("node24", "engine")).toEqual([["node24"], ["engine"]]);
});
