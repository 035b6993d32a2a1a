import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { userGit } from "../../../../tests/setup/user-git.ts";
import { loopScene, treeContents } from "./git-fixture.ts";
import { pathMatcher } from "./path-matcher.ts";

describe("restoring", () => {
  const files = {
    "tests/a.test.ts": "a\n",
    "tests/deep/b.test.ts": "b\n",
    "package.json": "{}\n",
    Makefile: "all:\n",
  };

  test("puts matching files back, takes those away that are new, and leaves the excepted and all others", async () => {
    const { own, baseOid, derive } = await loopScene(files);
    const candidate = await derive({
      "tests/a.test.ts": "weaker\n",
      "tests/deep/b.test.ts": null,
      "tests/new.test.ts": "new\n",
      "tests/kept.test.ts": "planned\n",
      "package.json": '{"scripts":{}}\n',
      "src/main.ts": "console.log(2);\n",
    });
    const isWanted = pathMatcher(["tests/**", "package.json"]);
    const { tree, restored } = await own.restorePaths({
      tree: await own.tree(candidate),
      from: baseOid,
      isRestored: (path) => isWanted(path) && path !== "tests/kept.test.ts",
    });
    expect(restored).toEqual([
      "package.json",
      "tests/a.test.ts",
      "tests/deep/b.test.ts",
      "tests/new.test.ts",
    ]);
    expect(await treeContents(own, tree)).toEqual({
      ...files,
      "README.md": "first\n",
      "src/main.ts": "console.log(2);\n",
      "tests/kept.test.ts": "planned\n",
    });
    expect(userGit(own.path, "fsck", "--strict")).not.toContain("error");
    expect(readdirSync(join(own.path, "scratch"))).toEqual([]);
  });

  test("also where a folder became a link or a file, and the other way round", async () => {
    const { user, own, baseOid, derive } = await loopScene(files);
    userGit(user, "checkout", "-q", "--detach", baseOid);
    userGit(user, "rm", "-q", "-r", "tests", "Makefile");
    symlinkSync("src", join(user, "tests"));
    const candidate = await derive({ "Makefile/inner": "x\n" }, baseOid);
    const { tree } = await own.restorePaths({
      tree: await own.tree(candidate),
      from: baseOid,
      isRestored: pathMatcher(["tests/**", "Makefile"]),
    });
    expect(tree).toBe(await own.tree(baseOid));
  });

  test("that has nothing to do gives the same tree", async () => {
    const { own, baseOid } = await loopScene(files);
    const tree = await own.tree(baseOid);
    expect(await own.restorePaths({ tree, from: baseOid, isRestored: () => true })).toEqual({
      tree,
      restored: [],
    });
  });
});
