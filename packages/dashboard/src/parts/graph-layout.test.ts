import { expect, it } from "vitest";
import { layOut } from "./graph-layout.ts";

const placesOf = (nodes: { id: string; needs: string[] }[]) =>
  Object.fromEntries(layOut(nodes).map(({ node, column, row }) => [node.id, [column, row]]));

it("a node stands right of the farthest that it needs", () => {
  const nodes = [
    { id: "c", needs: ["a", "b"] },
    { id: "b", needs: ["a"] },
    { id: "a", needs: [] },
  ];
  expect(placesOf(nodes)).toEqual({ a: [0, 0], b: [1, 0], c: [2, 0] });
});

it("in a column each stands near to what it needs", () => {
  const nodes = [
    { id: "a", needs: [] },
    { id: "b", needs: [] },
    { id: "y", needs: ["b"] },
    { id: "x", needs: ["a"] },
  ];
  expect(placesOf(nodes)).toMatchObject({ x: [1, 0], y: [1, 1] });
});

it("a circle, and a need that is not there, are drawn all the same", () => {
  const nodes = [
    { id: "a", needs: ["b", "nobody"] },
    { id: "b", needs: ["a"] },
  ];
  expect(Object.keys(placesOf(nodes)).toSorted()).toEqual(["a", "b"]);
});
