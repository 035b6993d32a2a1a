import { describe, expect, it } from "vitest";
import { OrchestratorError } from "../../errors.ts";
import { readStories } from "./read-stories.ts";

/** The words with which it is refused. */
function refusal(text: string, file: string | null): { message: string; remedy: string | undefined } {
  try {
    readStories(text, file);
  } catch (error) {
    if (error instanceof OrchestratorError && error.code === "plan_invalid") return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("a checklist", () => {
  it("keeps what is indented as instructions, without the indentation, and attributes apart", () => {
    const text = [
      "# Title",
      "",
      "- [ ] One  ",
      "  - needs: Two",
      "  First line.",
      "",
      "      code",
      "  ```",
      "  - role: not an attribute, since it is fenced",
      "  ```",
      "* [ ] Two",
      "",
      "A word at the end.",
    ].join("\r\n");
    const plan = readStories(text, "a.md");
    expect(plan.summary).toBe("# Title\n\nA word at the end.");
    expect(plan.tasks).toMatchObject([
      {
        key: "one",
        title: "One",
        needs: ["two"],
        role: "worker",
        instructions: "First line.\n\n    code\n```\n- role: not an attribute, since it is fenced\n```",
      },
      { key: "two", title: "Two", instructions: "Two", needs: [] },
    ]);
  });

  it("does not take boxes within a fence for stories", () => {
    const text = "```\n- [ ] no\n```\n- [ ] yes\n";
    expect(readStories(text, "a.md").tasks.map(({ title }) => title)).toEqual(["yes"]);
  });

  it("ends a fence where Markdown does, so that no story behind it is taken for code", () => {
    const text = [
      "- [ ] One",
      "",
      "  ```npm test``` must pass.",
      "  ````",
      "  ```",
      "  ~~~",
      "- [ ] not one",
      "  ````",
      "- [ ] Two",
      "",
      "  ~~~ sh",
      "  ``` no end",
      "  ~~~~",
      "- [ ] Three",
    ].join("\n");
    expect(readStories(text, "a.md").tasks.map(({ title }) => title)).toEqual(["One", "Two", "Three"]);
  });

  it("has all that is needed, also where that is said on several lines", () => {
    const text = "- [ ] a\n  - needs: b\n  - needs: c\n- [ ] b\n- [ ] c\n";
    expect(readStories(text, "a.md").tasks[0]).toMatchObject({ needs: ["b", "c"] });
  });

  it("leaves out what is done, and whoever needs it has it", () => {
    const text =
      "- [x] First\n  - key: a\n- [X] Other\n- [x] A third one\n- [ ] Second\n  - needs: a, Other, a-third-one\n";
    expect(readStories(text, "a.md").tasks).toMatchObject([{ title: "Second", needs: [] }]);
  });

  it("does not take what is open again for done", () => {
    const text = "- [x] Add it\n- [ ] Add it\n- [ ] Use it\n  - needs: Add it\n";
    expect(refusal(text, "a.md").message).toContain("line 4: needs: several stories are called Add it");
    const told = "- [x] Add it\n- [ ] Add it\n  - key: again\n- [ ] Use it\n  - needs: again\n";
    expect(readStories(told, "a.md").tasks[1]).toMatchObject({ needs: ["again"] });
  });

  it("takes a line that follows without a gap for the story's, and a paragraph for the summary", () => {
    const text = "- [ ] One\ngoes on here\n\nNot the story's.\n1. [ ] Two\n";
    const plan = readStories(text, "a.md");
    expect(plan.tasks[0]?.instructions).toBe("goes on here");
    expect(plan.summary).toBe("Not the story's.");
    expect(plan.tasks[1]?.title).toBe("Two");
  });

  it("splits lists at commas, but not those of a glob or between backticks", () => {
    const text = [
      "- [ ] One",
      "  - allowedPaths: src/{a,b}/**, `docs/a,b.md`, {x,y/{1,2}}.js,",
      "  - needs: `Say it, twice`",
      "- [ ] Say it, twice",
      "  - allowedPaths: a{b, c",
    ].join("\n");
    expect(readStories(text, "a.md").tasks).toMatchObject([
      { allowedPaths: ["src/{a,b}/**", "docs/a,b.md", "{x,y/{1,2}}.js"], needs: ["say-it-twice"] },
      { allowedPaths: ["a{b", "c"] },
    ]);
  });

  it("takes a word with a colon for instructions where they have begun, and in what is done", () => {
    const text = "- [x] Done\n  - owner: me\n- [ ] a\n\n  Note: keep the order.\n";
    expect(readStories(text, "a.md").tasks).toMatchObject([{ instructions: "Note: keep the order." }]);
  });

  it.each([
    ["just words\n", "there is no checklist in it"],
    ["- [x] all\n", "there is nothing to do"],
    ["- [ ] a\n- [ ] \n", "line 2: the story has no title"],
    ["- [ ] a\n\n  ```\n  code\n- [ ] b\n", "line 3: the code that begins here has no end"],
    ["- [ ] a\n  - role: worker\n  - role: docser\n", "line 3: role is said twice"],
    ["- [ ] a\n\n  - role: boss\n", "line 3: role"],
    ["- [ ] a\n- [ ] b\n  - needs: c\n", "line 2: b needs c, which is not in the plan"],
    ["- [ ] a\n  - key: k\n\n- [ ] b\n  - key: k\n", "several tasks have the key k"],
    ["- [ ] a\n  - need: b\n- [ ] b\n", 'line 2: "need" is not a word of a story'],
    ["- [ ] a\n  paths: src\n", 'line 2: "paths" is not a word of a story'],
    ["- [ ] a\n\n  First words.\n  - Needs: b\n- [ ] b\n", 'line 4: "Needs" is not a word of a story'],
    ["- [ ] a\n\n  allowedPath: src\n", 'line 3: "allowedPath" is not a word of a story'],
  ])("is refused with the line: %j", (text, words) => {
    expect(refusal(text, "a.md").message).toContain(words);
  });
});

it.each([
  [
    "summary",
    `${"x".repeat(5_001)}\n- [ ] a\n`,
    "stands outside of stories: Too big: expected string to have <=5000",
  ],
  [
    "story",
    `- [ ] a\n\n  ${"x".repeat(50_001)}\n`,
    "line 1: instructions: Too big: expected string to have <=50000",
  ],
  [
    "list of checks",
    `- [ ] a\n${"  - verify: true\n".repeat(21)}`,
    "line 22: verify: Too big: expected array to have <=20",
  ],
])("a %s that is too long is refused with its bound", (_, text, words) => {
  expect(refusal(text, "a.md").message).toContain(words);
});

describe("stories without keys whose titles have the same words", () => {
  it("have one each, and are needed by their titles", () => {
    const text =
      "- title: APIを追加\n- title: APIを削除\n  needs: APIを追加\n- {title: x, key: api-2, needs: APIを削除}\n";
    expect(readStories(text, null).tasks).toMatchObject([
      { key: "api", needs: [] },
      { key: "api-3", needs: ["api"] },
      { key: "api-2", needs: ["api-3"] },
    ]);
  });

  it("have one that is not too long", () => {
    const text = ["1", "2"].map((end) => `- title: ${"a".repeat(70)}${end}\n`).join("");
    const keys = readStories(text, null).tasks.map(({ key }) => key);
    expect(keys).toEqual(["a".repeat(64), `${"a".repeat(62)}-2`]);
  });

  it("are not needed by a name that several have", () => {
    const text = "- title: APIを追加\n- title: APIを削除\n- title: x\n  needs: api\n";
    expect(refusal(text, "a.yaml").message).toContain(
      "line 4: needs: several stories are called api: give each of them a key, and name that",
    );
  });
});

describe("stories in YAML and JSON", () => {
  it.each([
    [
      '{\n  "stories": [\n    { "title": "a" }\n  ],\n  "more": 1\n}',
      "a.json",
      'line 5: Unrecognized key: "more"',
    ],
    ['{\n  "stories": [\n    { "title": "a" \n  ]\n}', "a.json", "line 4:"],
    ['{"stories": [{"title": "a"}], "tasks": []}', "a.json", "one list of stories"],
    ["stories: []\n", "a.yaml", "there is no story in it"],
    ["summary: x\n", "a.yaml", "one list of stories"],
    ["only words\n", "a.yaml", "only words"],
    ["", null, "only words"],
    ["- title: a\n  title: b\n", "a.yaml", "line 2: Map keys must be unique"],
    ["- title: a\n- 3\n", "a.yaml", "line 2: the story"],
    ["- title: a\n  allowedPaths:\n    - src\n    - 7\n", "a.yaml", "line 4: allowedPaths.1"],
    ["- title: a\n  key: Not This\n", "a.yaml", "line 2: key"],
    ["- title: !!js/function x\n", "a.yaml", "line 1: Unresolved tag"],
    ["- title: *nobody\n", "a.yaml", "Unresolved alias"],
    ["- title: a\n  allowedPaths: ../b\n", "a.yaml", "line 1: a may change ../b"],
    ["- {title: a, needs: b}\n- {title: b, needs: a}\n", "a.yaml", "in a circle: task 1 (a), task 2 (b)"],
    [
      "- {title: t, role: tester}\n- {title: w, needs: t}\n- {title: d, role: docser, needs: [t, w]}\n",
      "a.yaml",
      "line 1: t is a tester's task and is needed by w, d",
    ],
  ])("are refused with the line and the remedy: %j", (text, file, words) => {
    const { message, remedy } = refusal(text, file);
    expect(message).toContain(words);
    expect(message.startsWith(file ?? "the stories")).toBe(true);
    expect(remedy).toContain("docs/stories.md");
  });

  it("that grow without end by aliases are refused", () => {
    const levels = Array.from({ length: 12 }, (_, index) => {
      const of = index === 0 ? "x" : `*a${index - 1}`;
      return `a${index}: &a${index} [${Array.from({ length: 10 }, () => of).join(", ")}]`;
    });
    expect(refusal(levels.join("\n"), "a.yaml").message).toContain("alias");
  });

  it("are refused with the first troubles where there are many", () => {
    const text = Array.from({ length: 30 }, () => "- role: boss").join("\n");
    expect(refusal(text, "a.yaml").message).toContain("and 50 more");
  });

  it("of a plan that was shown are the same plan again", () => {
    const plan = readStories("- {title: Über alles, needs: [], estimate: 1 hour}\n- title: 日本語\n", null);
    expect(plan.tasks.map(({ key }) => key)).toEqual(["u-ber-alles", "story-2"]);
    expect(readStories(JSON.stringify(plan), "plan.json")).toEqual(plan);
  });
});
