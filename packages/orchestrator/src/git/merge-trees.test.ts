import { describe, expect, test } from "vitest";
import { loopScene, treeContents } from "./git-fixture.ts";

const author = { name: "Ada", email: "ada@example.com" };
const date = new Date("2026-01-02T03:04:05.678Z");

describe("merging", () => {
  const lines = (...changed: [number, string][]): string =>
    Array.from({ length: 20 }, (_, n) => new Map(changed).get(n) ?? `line ${n}`).join("\n");

  test("takes what both have changed, in one file too", async () => {
    const { own, baseOid, derive } = await loopScene({ "a.txt": lines(), "gone.txt": "x\n" });
    const ours = await derive({ "a.txt": lines([1, "ours"]), "new.txt": "ours\n" });
    const theirs = await derive({ "a.txt": lines([18, "theirs"]), "gone.txt": null });
    const merged = await own.mergeTrees({ base: baseOid, ours, theirs });
    if (!merged.ok) throw new Error("it did not merge");
    expect(await treeContents(own, merged.tree)).toEqual({
      "README.md": "first\n",
      "src/main.ts": "console.log(1);\n",
      "a.txt": lines([1, "ours"], [18, "theirs"]),
      "new.txt": "ours\n",
    });
    expect(await own.mergeTrees({ base: baseOid, ours, theirs })).toEqual(merged);
  });

  test("is the one side where the other did nothing, also with trees", async () => {
    const { own, baseOid, derive } = await loopScene();
    const theirs = await own.tree(await derive({ "x.txt": "x\n" }));
    const base = await own.tree(baseOid);
    expect(await own.mergeTrees({ base, ours: base, theirs })).toEqual({ ok: true, tree: theirs });
  });

  test("has the base that it is given, not the one of the histories", async () => {
    const { own, baseOid, derive } = await loopScene({ "a.txt": "1\n" });
    const start = await derive({ "a.txt": "2\n", "b.txt": "b\n" });
    const theirs = await derive({ "a.txt": "3\n" }, start);
    // Against `start` nothing is changed on our side, although by history both have changed a.txt since the base.
    const copy = await own.commit({
      tree: await own.tree(start),
      parents: [baseOid],
      message: "x\n",
      author,
      date,
    });
    const merged = await own.mergeTrees({ base: start, ours: copy, theirs });
    expect(merged).toEqual({ ok: true, tree: await own.tree(theirs) });
  });

  test("names every path that both have changed", async () => {
    const { own, baseOid, derive } = await loopScene({
      "a.txt": "1\n",
      'd "q"/\nb.txt': "1\n",
      "c.txt": "1\n",
    });
    const ours = await derive({
      "a.txt": "2\n",
      'd "q"/\nb.txt': "2\n",
      "c.txt": null,
      "n.bin": Buffer.from([0, 1]),
    });
    const theirs = await derive({
      "a.txt": "3\n",
      'd "q"/\nb.txt': "3\n",
      "c.txt": "2\n",
      "n.bin": Buffer.from([0, 2]),
    });
    const merged = await own.mergeTrees({ base: baseOid, ours, theirs });
    if (merged.ok) throw new Error("it merged");
    expect(merged.conflicts.toSorted()).toEqual(["a.txt", "c.txt", 'd "q"/\nb.txt', "n.bin"]);
  });

  test("of a file and a folder of the same name is a conflict", async () => {
    const { own, baseOid, derive } = await loopScene();
    const ours = await derive({ same: "file\n" });
    const theirs = await derive({ "same/inner": "folder\n" });
    expect(await own.mergeTrees({ base: baseOid, ours, theirs })).toMatchObject({ ok: false });
  });
});
