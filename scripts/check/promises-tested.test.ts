import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inCheckout } from "../setup/checkout.mjs";

const attacks = 41;
const promises = { A: 18, B: 14 };

/** What names of tests begin with: `A8 A16 …`, `attack 31 …`, or both. */
const carried = [...new Set(testFiles().flatMap(numbersIn))];

test("every promise of the contract is carried by the name of a test", () => {
  const all = Object.entries(promises).flatMap(([letter, count]) => upTo(count).map((n) => `${letter}${n}`));
  expect(all.filter((promise) => !carried.includes(promise))).toEqual([]);
});

test("every attack is carried by the name of a test", () => {
  const all = upTo(attacks).map((n) => `attack ${n}`);
  expect(all.filter((attack) => !carried.includes(attack))).toEqual([]);
});

test("no name of a test carries a number that there is not", () => {
  const known = (number: string): boolean => {
    const [, letter = "attack", count = "0"] = /^(?:attack|([AB]))\s?(\d+)$/.exec(number) ?? [];
    const last = letter === "A" || letter === "B" ? promises[letter] : attacks;
    return Number(count) >= 1 && Number(count) <= last;
  };
  expect(carried.filter((number) => !known(number))).toEqual([]);
});

function testFiles(): string[] {
  const folders = ["packages", "tests", "bench", "scripts"].map((name) => inCheckout(name));
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.test\.tsx?$/.test(name) && !name.includes("node_modules"))
      .map((name) => `${folder}/${name}`),
  );
}

function numbersIn(file: string): string[] {
  const begun = /["'`]((?:[AB]\d+ )*)(?:attack ((?:\d+ )+))?/g;
  return [...readFileSync(file, "utf8").matchAll(begun)].flatMap(([, letters = "", numbers = ""]) => [
    ...words(letters),
    ...words(numbers).map((number) => `attack ${number}`),
  ]);
}

function words(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
