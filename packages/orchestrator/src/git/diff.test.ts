import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPatch } from "@opentiger/schema";
import { describe, expect, test } from "vitest";
import { userGit } from "../../../../tests/setup/user-git.ts";
import { loopScene } from "./git-fixture.ts";

describe("a diff", () => {
  test("is of all files, or of those that are asked for, literally", async () => {
    const { own, baseOid, derive } = await loopScene({ "*.txt": "star\n", "b.txt": "b\n" });
    const to = await derive({ "*.txt": "star 2\n", "b.txt": "b 2\n" });
    expect((await own.diff(baseOid, to)).text).toMatch(/star 2[\s\S]*b 2/);
    const one = await own.diff(baseOid, to, { paths: ["*.txt"] });
    expect([one.text.includes("star 2"), one.text.includes("b 2")]).toEqual([true, false]);
    expect(await own.diff(baseOid, to, { paths: [] })).toEqual({ text: "", cut: false });
  });

  test("names a file as it is called, and its lines can be found by that name", async () => {
    const { own, baseOid, derive } = await loopScene();
    const names = ["ドキュメント/größe.md", 'say "hi"\t\\.txt', "two\nlines b/\u001B[31m"];
    const to = await derive(Object.fromEntries(names.map((name) => [name, "eins\nzwei\n"])));
    const { text } = await own.diff(baseOid, to, { paths: names });
    expect(text).toContain(`+++ b/${names[0]}\n`);
    const files = readPatch(text);
    expect(new Set(files.map(({ path }) => path))).toEqual(new Set(names));
    for (const { lines } of files) expect(lines.map(({ newNumber }) => newNumber)).toEqual([null, 1, 2]);
  });

  test("of more paths than a command takes is whole", async () => {
    const { own, baseOid, derive } = await loopScene();
    const names = Array.from({ length: 900 }, (_, n) => `${"x".repeat(200)}/${n}`);
    const to = await derive(Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    const { text } = await own.diff(baseOid, to, { paths: names });
    expect(text.match(/^diff --git/gm)).toHaveLength(900);
  });

  test("is cut at the end of a line, and says so", async () => {
    const { own, baseOid, derive } = await loopScene();
    const to = await derive({ "a.txt": "grüße\n".repeat(1000) });
    const { text, cut } = await own.diff(baseOid, to, { maxBytes: 1000 });
    expect([cut, text.endsWith("+grüße\n"), Buffer.byteLength(text) <= 1000]).toEqual([true, true, true]);
  });

  test("as mails can be applied by git", async () => {
    const { at, own, baseOid, derive } = await loopScene();
    const one = await derive({ "a.txt": "a\n", "b.bin": Buffer.from([0, 1, 2]) });
    const two = await derive({ "a.txt": "a\nb\n" }, one);
    const chunks: Buffer[] = [];
    for await (const chunk of own.patch(baseOid, two)) chunks.push(chunk);
    writeFileSync(join(at, "patch"), Buffer.concat(chunks));
    userGit(at, "clone", "-q", "user", "other");
    userGit(join(at, "other"), "checkout", "-q", "-b", "try", baseOid);
    userGit(join(at, "other"), "am", "-q", join(at, "patch"));
    expect(userGit(join(at, "other"), "rev-parse", "HEAD^{tree}")).toBe(await own.tree(two));
  });
});
