import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitFiles, userGit, userGitWith } from "../../../../tests/setup/user-git.ts";
import { loopScene } from "./git-fixture.ts";

describe("changes", () => {
  test("say of every file what became of it", async () => {
    const { user, own, baseOid } = await loopScene({
      "old.txt": "same\n",
      "data.bin": Buffer.from([0, 1, 2]),
      "to-link": "x\n",
    });
    userGit(user, "rm", "-q", "to-link");
    symlinkSync("src/main.ts", join(user, "to-link"));
    const to = commitFiles(user, {
      "README.md": "first\nsecond\n",
      "old.txt": null,
      "moved\nhere.txt": "same\n",
      "data.bin": Buffer.from([0, 1, 2, 3]),
      "src/main.ts": "console.log(2);\nconsole.log(3);\n",
    });
    await own.importBase("loop2");
    const changes = await own.changes(baseOid, to);
    const summary = changes.map((each) => [
      each.path,
      each.status,
      each.addedLines,
      each.removedLines,
      each.bytes,
      each.binary,
    ]);
    expect(summary).toEqual([
      ["README.md", "modified", 1, 0, 13, false],
      ["data.bin", "modified", 0, 0, 4, true],
      ["moved\nhere.txt", "added", 1, 0, 5, false],
      ["old.txt", "deleted", 0, 1, 0, false],
      ["src/main.ts", "modified", 2, 1, 32, false],
      ["to-link", "type", 1, 1, 11, false],
    ]);
    expect(changes[2]).toMatchObject({ oldPath: "old.txt", oldOid: null, oldMode: null, newMode: "100644" });
    expect(changes[3]).toMatchObject({ oldPath: null, newOid: null, newMode: null, linkTarget: null });
    expect(changes[5]).toMatchObject({ oldMode: "100644", newMode: "120000", linkTarget: "src/main.ts" });
    expect(await own.changes(to, to)).toEqual([]);
  });

  test("are not hidden by attributes of the commit", async () => {
    const { own, baseOid, derive } = await loopScene();
    const to = await derive({
      ".gitattributes": "* -diff binary merge=ours linguist-generated\n",
      "src/main.ts": "evil();\n",
    });
    const change = (await own.changes(baseOid, to)).find(({ path }) => path === "src/main.ts");
    expect(change).toMatchObject({ binary: false, addedLines: 1 });
    expect((await own.diff(baseOid, to)).text).toContain("+evil();");
  });

  test("say where there is but a pointer of Git LFS", async () => {
    const { own, baseOid, derive } = await loopScene();
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 12345\n`;
    const to = await derive({ "big.bin": pointer, "about.md": `Such a file begins so:\n${pointer}` });
    const found = (await own.changes(baseOid, to)).map(({ path, isPointer }) => [path, isPointer]);
    expect(found).toEqual([
      ["about.md", false],
      ["big.bin", true],
    ]);
  });

  test("of a large text have the bytes of its new lines, and of a new one all of them", async () => {
    const entries = Array.from({ length: 30_000 }, (_, n) => `"package-${n}": "1.0.0",\n`);
    const { own, baseOid, derive } = await loopScene({ "lock.json": entries.join("") });
    const mended = `${entries.with(7, '"package-7": "1.0.1",\n').join("")}+++ end`;
    const to = await derive({ "lock.json": mended, "copy.json": mended });
    const bytes = (await own.changes(baseOid, to)).map((each) => [each.path, each.bytes]);
    expect(bytes).toEqual([
      ["copy.json", mended.length],
      ["lock.json", '"package-7": "1.0.1",\n+++ end\n'.length],
    ]);
    const other = await derive({ "lock.json": entries.map((entry) => ` ${entry}`).join("") });
    expect(await own.changes(baseOid, other)).toMatchObject([{ bytes: entries.join("").length + 30_000 }]);
  });

  test("of more links and pointers than anybody makes are looked into up to a bound", async () => {
    const { user, own, baseOid } = await loopScene();
    const pointer = (oid: string): string =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${oid.repeat(64)}\nsize 1\n`;
    const entry = (mode: string, path: string, content: string): string =>
      `M ${mode} inline ${path}\ndata ${content.length}\n${content}\n`;
    const files = Array.from({ length: 10_000 }, (_, n) => [
      entry("120000", `link/${n}`, "one"),
      entry("100644", `file/${n}`, pointer("1")),
    ]);
    const last = [entry("120000", "link/last", "other"), entry("100644", "file/last", pointer("2"))];
    const head = `commit refs/heads/many\ncommitter Ada <ada@example.com> 0 +0000\ndata 0\nfrom ${baseOid}\n`;
    userGitWith(user, `${head}${[...files.flat(), ...last].join("")}`, "fast-import", "--quiet");
    userGit(user, "symbolic-ref", "HEAD", "refs/heads/many");
    const { baseOid: to } = await own.importBase("loop2");
    const changes = await own.changes(baseOid, to);
    expect(changes).toHaveLength(20_002);
    expect(changes.filter(({ linkTarget }) => linkTarget !== null)).toHaveLength(10_000);
    expect(changes.filter(({ isPointer }) => isPointer)).toHaveLength(10_000);
  });

  test("of a huge text are not counted line by line", async () => {
    const { own, baseOid, derive } = await loopScene();
    const to = await derive({ "huge.txt": Buffer.alloc(17 * 1024 * 1024, "line\n") });
    expect(await own.changes(baseOid, to)).toMatchObject([
      { path: "huge.txt", binary: true, bytes: 17 * 1024 * 1024 },
    ]);
  });
});
