import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inCheckout } from "../setup/checkout.mjs";

/** The numbers of docs/promises.md and docs/attacks.md. */
const promises = numbered("docs/promises.md");
const attacks = numbered("docs/attacks.md").map((number) => `attack ${number}`);

/** What names of tests begin with: `A8 A16 …`, `attack 31 …`, or both. */
const carried = [...new Set(testFiles().flatMap(numbersIn))];

test("every promise and every attack is listed once, in order", () => {
  expect(promises).toEqual([...upTo(18).map((n) => `A${n}`), ...upTo(14).map((n) => `B${n}`)]);
  expect(attacks).toEqual(upTo(41).map((n) => `attack ${n}`));
});

test("every promise is carried by the name of a test", () => {
  expect(promises.filter((promise) => !carried.includes(promise))).toEqual([]);
});

test("every attack is carried by the name of a test", () => {
  expect(attacks.filter((attack) => !carried.includes(attack))).toEqual([]);
});

test("no name of a test carries a number that is not listed", () => {
  const listed = new Set([...promises, ...attacks]);
  expect(carried.filter((number) => !listed.has(number))).toEqual([]);
});

test("nothing in the sources names a promise or an attack that is not listed", () => {
  const listed = new Set([...promises, ...attacks]);
  const named = sources().flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\b(?:contract ([AB]\d+)|(attack \d+))\b/gi)].map(
      ([, promise, attack = ""]) => promise ?? attack.toLowerCase(),
    ),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((number) => !listed.has(number))).toEqual([]);
});

/** What stands in the first column of a page's tables. */
function numbered(page: string): string[] {
  const rows = readFileSync(inCheckout(page), "utf8").matchAll(/^\| ([AB]?\d+) \|/gm);
  return [...rows].map(([, number = ""]) => number);
}

function testFiles(): string[] {
  return sources().filter((name) => /\.test\.tsx?$/.test(name));
}

function sources(): string[] {
  const folders = ["packages", "tests", "bench", "scripts"].map((name) => inCheckout(name));
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:tsx?|mjs)$/.test(name) && !/node_modules|\/dist\//.test(name))
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
