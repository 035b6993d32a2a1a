import { describe, expect, it } from "vitest";
import type { FileChange } from "../git/file-change.ts";
import { changedRules, restoredPaths } from "./controls.ts";

const project = { testPaths: ["test/**"], protectedPaths: ["Makefile", "scripts/**", "requirements.txt"] };
const task = { role: "worker", mayChange: [] } as const;

describe("what decides whether checks pass", () => {
  it.each([
    ["a script", change("scripts/test.sh", "modified")],
    ["a new one", change("scripts/more.sh", "added")],
    ["a Makefile that is gone", change("Makefile", "deleted")],
    ["the package manager's settings", change("packages/a/.npmrc", "added")],
    ["what a set-up installs", change("node_modules/.bin/vitest", "added")],
    ["a test that is gone", change("test/a.test.ts", "deleted")],
    ["a test that became a link", change("test/a.test.ts", "type")],
    ["a snapshot that is gone", change("src/__snapshots__/a.snap", "deleted")],
  ])("is not to be changed without being asked for: %s", async (_what, changed) => {
    const { points } = await ruled([changed]);
    expect(points).toMatchObject([{ by: "rules", file: changed.path }]);
    const listed = await ruled([changed], [changed.path]);
    expect(listed.points).toEqual([]);
  });

  it.each([
    ["source", change("src/a.ts", "modified")],
    ["a new test", change("test/b.test.ts", "added")],
    ["a list of dependencies, although the set-up names it", change("requirements.txt", "modified")],
    ["a lock file", change("package-lock.json", "modified")],
  ])("is not %s", async (_what, changed) => {
    expect(await ruled([changed])).toEqual({ points: [], notes: [] });
  });

  it("is told to the model where a test was changed that the plan does not name", async () => {
    const { points, notes } = await ruled([change("test/a.test.ts", "modified")]);
    expect(points).toEqual([]);
    expect(notes).toEqual([expect.stringContaining("test/a.test.ts")]);
  });

  it("is taken from before the change in the second round, but for what the plan names; a tester's tests are its own", () => {
    const { paths, except } = restoredPaths(project, { role: "worker", mayChange: ["test/new/**"] });
    expect(paths).toEqual(expect.arrayContaining(["test/**", "Makefile", "opentiger.json", "**/*.snap"]));
    expect(except).toEqual(expect.arrayContaining(["test/new/**", "**/package.json"]));
    const tester = restoredPaths(project, { role: "tester", mayChange: [] });
    expect(tester.paths).not.toContain("test/**");
    expect(tester.paths).toContain("Makefile");
  });
});

async function ruled(changes: readonly FileChange[], mayChange: readonly string[] = []) {
  const readFile = async (): Promise<undefined> => undefined;
  const asked = { changes, from: "a", to: "b", project, task: { ...task, mayChange: [...mayChange] } };
  return changedRules({ readFile }, asked);
}

function change(path: string, status: FileChange["status"]): FileChange {
  return {
    path,
    status,
    oldPath: null,
    oldMode: status === "added" ? null : "100644",
    newMode: status === "deleted" ? null : "100644",
    oldOid: null,
    newOid: null,
    addedLines: 1,
    removedLines: 1,
    binary: false,
    bytes: 1,
    linkTarget: null,
    isPointer: false,
  };
}
