import { expect, it } from "vitest";
import { readDiff } from "./read-diff.ts";

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
`;

it("files, lines and their numbers", () => {
  const [first, second, third] = readDiff(patch);
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
});

it("a line that looks like a head of a file is a line while a hunk goes on", () => {
  const [file] = readDiff(
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-- a comment\n+++ more\n+-- two\n",
  );
  expect(file).toMatchObject({ path: "x", added: 2, removed: 1 });
});

it("no patch at all has no files", () => {
  expect(readDiff("")).toEqual([]);
});
