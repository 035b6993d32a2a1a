import { expect, it } from "vitest";
import { firstCharacters, lastCharacters } from "./cut.ts";

it("a text is cut between characters, and one that is short enough stays as it is", () => {
  expect([0, 1, 2, 3, 4, 6].map((most) => firstCharacters("a🐯b", most))).toEqual([
    "",
    "a",
    "a",
    "a🐯",
    "a🐯b",
    "a🐯b",
  ]);
  expect([0, 1, 2, 3, 4, 6].map((most) => lastCharacters("a🐯b", most))).toEqual([
    "",
    "b",
    "b",
    "🐯b",
    "a🐯b",
    "a🐯b",
  ]);
});
