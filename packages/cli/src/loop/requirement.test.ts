import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { holdsStories, readRequirement } from "./requirement.ts";

const cwd = mkdtempSync(join(tmpdir(), "ot-requirement-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const asked = { cwd, single: false, file: undefined, words: [] };

describe("a requirement", () => {
  it("is the words of the command line, for the planner or as one task", async () => {
    const words = ["add", "a flag"];
    expect(await readRequirement({ ...asked, words })).toEqual({
      requirement: "add a flag",
      source: { kind: "prose" },
    });
    expect(await readRequirement({ ...asked, words, single: true })).toMatchObject({
      source: { kind: "single" },
    });
  });

  it("is prose where a file holds nothing else, together with what is said", async () => {
    const file = written("wish.md", "# Faster\n\n- make it faster\n");
    const { requirement, source } = await readRequirement({ ...asked, file, words: ["please"] });
    expect(source).toEqual({ kind: "prose" });
    expect(requirement).toBe("please\n\n# Faster\n\n- make it faster");
  });

  it("is the stories of a checklist, unless it is said to be one task", async () => {
    const file = written("stories.md", "# Flags\n\n- [ ] Add --json\n- [ ] Document it\n");
    const { source } = await readRequirement({ ...asked, file });
    expect(source).toMatchObject({
      kind: "stories",
      file,
      tasks: [{ title: "Add --json" }, { title: "Document it" }],
    });
    expect((await readRequirement({ ...asked, file, single: true })).source).toEqual({ kind: "single" });
  });

  it("that is one task names the protected files that it is meant to change", async () => {
    const words = ["add a lint script"];
    const single = await readRequirement({ ...asked, words, single: true, mayChange: ["package.json"] });
    expect(single.source).toEqual({ kind: "single", mayChange: ["package.json"] });
    await expect(readRequirement({ ...asked, words, mayChange: ["package.json"] })).rejects.toThrow(
      /--may-change is for one task/,
    );
  });

  it.each([
    ["nothing at all", {}, /no requirement/],
    ["blank words", { words: [" "] }, /no requirement/],
    ["a file that is not there", { file: "nowhere.md" }, /cannot be read/],
    ["an empty file", { file: written("empty.md", " \n") }, /is empty/],
    ["a file that is no list of stories", { file: written("broken.json", "{") }, /broken\.json/],
  ])("is refused where there is %s", async (_what, more, message) => {
    await expect(readRequirement({ ...asked, ...more })).rejects.toThrow(message);
  });
});

it.each([
  ["stories.yaml", "anything", true],
  ["notes.txt", "- [ ] a box", true],
  ["notes.txt", "prose: with a colon", false],
  [null, '{"stories": []}', true],
  [null, "- title: first\n", true],
  [null, "Make [this] faster", false],
])("%s with %j holds stories: %s", (name, text, holds) => {
  expect(holdsStories(text, name)).toBe(holds);
});

function written(name: string, text: string): string {
  writeFileSync(join(cwd, name), text);
  return name;
}
