import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { scriptSchema } from "./scenario/scenario.ts";
import { stepSchema } from "./scenario/step.ts";

const page = readFileSync(new URL("../../../docs/model-sim.md", import.meta.url), "utf8");

test("the page's scenario file is one", () => {
  const text = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  expect(scriptSchema.parse(JSON.parse(text))).toMatchObject({
    sessions: [{ when: "You are the judge" }, {}],
  });
});

test("the page has a row for every step", () => {
  const names = stepSchema.options.map(({ shape }) => shape.do.value);
  const rows = page.split("\n").flatMap((line) => /^\| `(\w+)\(/.exec(line)?.[1] ?? []);
  expect(rows.toSorted()).toEqual([...names].toSorted());
});
