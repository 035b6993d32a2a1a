import { expect, it } from "vitest";
import { firstFew, sentence } from "./wording.ts";

it("of many the first are named, and the rest is counted", () => {
  expect(firstFew(["a", "b"], 2)).toEqual(["a", "b"]);
  expect(firstFew(["a", "b", "c", "d"], 2)).toEqual(["a", "b", "2 more"]);
});

it("words become a sentence, and those that are one stay so", () => {
  expect(sentence(" it broke\n")).toBe("it broke.");
  expect(sentence("Did it break?")).toBe("Did it break?");
});
