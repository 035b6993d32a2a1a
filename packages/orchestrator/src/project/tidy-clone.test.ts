import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeRepository, scratchFolder, userGit } from "../../../../tests/setup/user-git.ts";
import { localSandbox } from "../git/git-fixture.ts";
import { madeBySetUp, tidyClone } from "./tidy-clone.ts";

const { signal } = new AbortController();

/** A clone in which a set-up changed a tracked file, and left this many others beside tracked ones. */
function cloneWith(files: number): string {
  const clone = makeRepository(join(scratchFolder(), "clone"));
  mkdirSync(join(clone, "src"), { recursive: true });
  for (let n = 0; n < files; n++) writeFileSync(join(clone, "src", `made-${n}`), "");
  writeFileSync(join(clone, "README.md"), "changed\n");
  return clone;
}

it("what a set-up leaves is excluded and what it changes is put back, and both are said", async () => {
  const cwd = cloneWith(12);
  const notes = await tidyClone(localSandbox(cwd), { cwd, reports: ["report.xml"], signal });
  expect(notes).toEqual([
    expect.stringMatching(/put back: README\.md$/),
    expect.stringMatching(/never committed: .*src\/made-0, .*2 more$/),
  ]);
  writeFileSync(join(cwd, "report.xml"), "");
  expect(userGit(cwd, "status", "--porcelain")).toBe("");
});

it("what a set-up left or changed is known in the clone from then on, and reports of checks are none of it", async () => {
  const cwd = cloneWith(1);
  mkdirSync(join(cwd, "kit"));
  writeFileSync(join(cwd, "kit/run it"), "");
  const sandbox = localSandbox(cwd);
  expect(await madeBySetUp(sandbox, cwd)).toEqual([]);
  for (let times = 0; times < 2; times++) await tidyClone(sandbox, { cwd, reports: ["report.xml"], signal });
  expect(await madeBySetUp(sandbox, cwd)).toEqual(["kit/", "src/made-0", "README.md"]);
});

it("more files than can be excluded are refused, and never left to be committed", async () => {
  const cwd = cloneWith(10_001);
  await expect(tidyClone(localSandbox(cwd), { cwd, reports: [], signal })).rejects.toMatchObject({
    code: "setup_failed",
    message: expect.stringMatching(/10001 files that are neither tracked nor ignored: src\/made-0, /),
    remedy: expect.stringContaining(".gitignore"),
  });
});
