import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { planProblems } from "../check-plan.ts";
import { readStories } from "./read-stories.ts";

const document = readFileSync(new URL("../../../../../docs/stories.md", import.meta.url), "utf8");
const blocks = [...document.matchAll(/^```(\w+)( refused)?\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", refused, text = ""]) => ({ language, refused: refused !== undefined, text }),
);
const names = { markdown: "stories.md", yaml: "stories.yaml", json: "stories.json" };
const examples = blocks.flatMap(({ language, refused, text }) => {
  const file = Object.entries(names).find(([each]) => each === language)?.[1];
  return file === undefined || refused ? [] : [{ file, text }];
});

it("has an example of each form", () => {
  expect(new Set(examples.map(({ file }) => file))).toEqual(new Set(Object.values(names)));
});

it.each(examples)(
  "its example in $file can be carried out, by its name or by how it looks",
  ({ file, text }) => {
    const plan = readStories(text, file);
    expect(planProblems(plan, { tasks: 50 })).toEqual([]);
    expect(readStories(text, null)).toEqual(plan);
  },
);

it("its examples of the list command say the same in all forms", () => {
  const flags = examples
    .map(({ file, text }) => readStories(text, file).tasks.find(({ key }) => key === "json-flag"))
    .filter((task) => task !== undefined);
  expect(flags).toHaveLength(3);
  for (const task of flags) {
    expect(task).toMatchObject({ role: "worker", needs: ["json-tests"], risk: "medium" });
    expect(task.allowedPaths).toEqual(["src/list.js", "src/options.js"]);
    expect(task.verify[0]).toEqual({ command: "node src/tool.js list --json" });
  }
});

it("what it says is refused is refused in its words", () => {
  const refused = blocks.filter((block) => block.refused);
  const said = blocks.filter(({ language }) => language === "text");
  expect(refused).toHaveLength(said.length);
  expect(refused.length).toBeGreaterThan(0);
  for (const [index, { text }] of refused.entries()) {
    expect(() => readStories(text, null)).toThrow((said[index]?.text ?? "").trim());
  }
});
