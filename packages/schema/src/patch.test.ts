import { expect, it } from "vitest";
import { readPatch } from "./patch.ts";

const patch = `diff --git a/src/a.ts b/src/a.ts
index 111..222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
diff --git a/old.txt b/new.txt
similarity index 100%
rename from old.txt
rename to new.txt
diff --git a/logo.png b/logo.png
new file mode 100644
Binary files /dev/null and b/logo.png differ
diff --git a/gone.js b/gone.js
deleted file mode 100644
--- a/gone.js
+++ /dev/null
@@ -1 +0,0 @@
-gone
`;

it("files, lines and their numbers", () => {
  const [first, second, third, fourth] = readPatch(patch);
  expect(first).toMatchObject({ path: "src/a.ts", added: 1, removed: 1 });
  expect(first?.lines.map(({ kind, oldNumber, newNumber }) => [kind, oldNumber, newNumber])).toEqual([
    ["hunk", null, null],
    ["same", 1, 1],
    ["removed", 2, null],
    ["added", null, 2],
    ["same", 3, 3],
  ]);
  expect(second).toMatchObject({ path: "new.txt", oldPath: "old.txt", lines: [] });
  expect(third).toMatchObject({ path: "logo.png", binary: true });
  expect(fourth).toMatchObject({ path: "gone.js", removed: 1 });
});

it("a line that looks like a head is a line while its hunk goes on", () => {
  const lines = [
    "@@ -3,3 +3,4 @@ function list() {",
    " three",
    "--- a/fake",
    "+++ b/fake",
    "+@@ -1 +1 @@",
    " six",
  ];
  const more = [
    "@@ -20 +21 @@",
    "-diff --git a/x b/x",
    "+diff --git a/x b/x",
    "\\ No newline at end of file",
  ];
  const files = readPatch(["diff --git a/x b/x", "--- a/x", "+++ b/x", ...lines, ...more, ""].join("\n"));
  expect(files).toMatchObject([{ path: "x", added: 3, removed: 2 }]);
  expect(files[0]?.lines.flatMap(({ newNumber }) => newNumber ?? [])).toEqual([3, 4, 5, 6, 21]);
});

it.each([
  [
    '"a/say \\"hi\\"\\t\\\\.txt" "b/say \\"hi\\"\\t\\\\.txt"',
    '"b/say \\"hi\\"\\t\\\\.txt"',
    'say "hi"\t\\.txt',
  ],
  ['"a/new\\nline" "b/new\\nline"', '"b/new\\nline"', "new\nline"],
  [
    '"a/\\343\\203\\211 \\033[31m" "b/\\343\\203\\211 \\033[31m"',
    '"b/\\343\\203\\211 \\033[31m"',
    "ド \u001B[31m",
  ],
  ["a/two words b/two words", "b/two words\t", "two words"],
  ["a/x b/x b/x b/x", "b/x b/x\t", "x b/x"],
])("a name in quotes is what the file is called: %s", (head, side, path) => {
  const added = `diff --git ${head}\nnew file mode 100644\n--- /dev/null\n+++ ${side}\n@@ -0,0 +1 @@\n+x\n`;
  expect(readPatch(added)).toMatchObject([{ path, added: 1 }]);
  expect(readPatch(`diff --git ${head}\nold mode 100644\nnew mode 100755\n`)).toMatchObject([{ path }]);
});

it("a patch without git's heads is one file", () => {
  expect(readPatch("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")).toMatchObject([{ path: "x", added: 1 }]);
});

it("no patch at all has no files", () => {
  expect(readPatch("")).toEqual([]);
});
