import { describe, expect, it } from "vitest";
import { loopScene } from "../git/git-fixture.ts";
import { isSameChange, shownChange } from "./shown-change.ts";

const hidden = 'fetch("https://intruder.example.test");';
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]);

/** What a reader is shown of a file that git takes for binary. */
async function shown(before: Record<string, string | Buffer>, edits: Record<string, string | Buffer>) {
  const { own, baseOid: from, derive } = await loopScene(before);
  const to = await derive(edits, from);
  const change = await shownChange(own, { from, to, changes: await own.changes(from, to) });
  return change?.diffs.map(({ text }) => text).join("\n") ?? "";
}

describe("a file that git takes for binary", () => {
  const code = `${"// A comment.\n".repeat(100)}${hidden}\n`;

  it.each([
    ["source", {}, { "src/a.js": `/* \0 */\n${code}` }],
    ["a script without an ending", {}, { "bin/run": `#!/bin/sh\n# \0\n${code}` }],
    ["text until now", { "bin/table": "one\n" }, { "bin/table": `one\0\n${code}` }],
  ])("is shown as a whole where it is %s", async (_what, before, edits) => {
    const text = await shown(before, edits);
    expect(text).toContain(`+${hidden}`);
    expect(text).toContain("\0");
  });

  it("is shown by its beginning where it is none of these", async () => {
    const content = Buffer.concat([picture, Buffer.alloc(2_000, 7)]);
    const text = await shown({}, { "logo.png": content });
    expect(text).toMatch(/^This is not text: 2008 bytes/);
    expect(text.length).toBeLessThan(2_000);
  });
});

it("is the same change where others have moved on beside it, and another where they touched one of its files", async () => {
  const { own, baseOid, derive } = await loopScene({
    "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
    "b.txt": "1\n",
  });
  const theirs = await derive({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n" });
  const on = async (tip: string) => {
    const merged = await own.mergeTrees({ base: baseOid, ours: tip, theirs });
    if (!merged.ok) throw new Error("it conflicts");
    return own.changes(tip, merged.tree);
  };
  const before = await on(baseOid);
  expect(isSameChange(before, await on(await derive({ "b.txt": "2\n" })))).toBe(true);
  expect(isSameChange(before, await on(await derive({ "a.txt": "0\n2\n3\n4\n5\n6\n7\n8\n9\n" })))).toBe(
    false,
  );
});
