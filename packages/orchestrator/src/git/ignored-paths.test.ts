import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loopScene } from "./git-fixture.ts";

const files = {
  ".gitignore": "venv/\n*.log\n!kept.log\n/dist\n",
  "packages/a/.gitignore": "out\n",
};
const paths = [
  "venv/bin/pytest",
  "a/venv/lib/x.py",
  "deep/run.log",
  "kept.log",
  "dist",
  "a/dist",
  "packages/a/out/main.js",
  "packages/b/out/main.js",
  "src/a.js",
  "-n",
  ":(exclude)x",
  "*",
];

test("git says which paths the .gitignore files of a commit leave out, wherever they lie", async () => {
  const { own, baseOid } = await loopScene(files);
  expect(await own.ignored(baseOid, paths)).toEqual([
    "venv/bin/pytest",
    "a/venv/lib/x.py",
    "deep/run.log",
    "dist",
    "packages/a/out/main.js",
  ]);
  expect(readdirSync(join(own.path, "scratch"))).toEqual([]);
});

test("one that leaves nothing out, none at all, and no path have nothing to say", async () => {
  const { own, baseOid, derive } = await loopScene(files);
  expect(await own.ignored(baseOid, ["src/a.js"])).toEqual([]);
  expect(await own.ignored(baseOid, [])).toEqual([]);
  const without = await derive({ ".gitignore": null, "packages/a/.gitignore": null });
  expect(await own.ignored(without, paths)).toEqual([]);
});
