import { expect, it } from "vitest";
import { Remembered } from "./remembered.ts";

it("an answer is found once, and each who asks gets a copy", async () => {
  const remembered = new Remembered<string[]>(2);
  let asked = 0;
  const find = async (): Promise<string[]> => [`${++asked}`];
  const first = await remembered.answer("one", find);
  first.push("changed");
  expect(await remembered.answer("one", find)).toEqual(["1"]);
});

it("what was not asked for the longest time is forgotten", async () => {
  const remembered = new Remembered<string>(2);
  const asked: string[] = [];
  const ask = (question: string) =>
    remembered.answer(question, async () => {
      asked.push(question);
      return question;
    });
  for (const question of ["one", "two", "one", "three", "one", "two"]) await ask(question);
  expect(asked).toEqual(["one", "two", "three", "two"]);
});

it("what failed is asked again", async () => {
  const remembered = new Remembered<string>(2);
  const broken = remembered.answer("one", () => Promise.reject(new Error("not now")));
  await expect(broken).rejects.toThrow("not now");
  expect(await remembered.answer("one", async () => "there")).toBe("there");
});
