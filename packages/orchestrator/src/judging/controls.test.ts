import type { Project } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import { changedFile } from "../fixture/changed-file.ts";
import type { FileChange } from "../git/file-change.ts";
import type { TaskRow } from "../state/tasks.ts";
import { changedRules, isNewTest, restoredPaths } from "./controls.ts";

const project: Pick<Project, "testPaths" | "protectedPaths" | "sources" | "verify"> = {
  testPaths: ["test/**"],
  protectedPaths: ["**/package.json", "scripts/**", "requirements.txt"],
  sources: {},
  verify: [{ command: "cd api && python3 -m unittest" }],
};
const written: typeof project = { ...project, sources: { protectedPaths: "file" } };
const task: Pick<TaskRow, "role" | "mayChange"> = { role: "worker", mayChange: [] };

describe("what decides whether checks pass", () => {
  it.each([
    ["a script", changedFile("scripts/test.sh", { status: "modified" })],
    ["a new one", changedFile("scripts/more.sh", { status: "added" })],
    ["a Makefile that is gone", changedFile("Makefile", { status: "deleted" })],
    ["the package manager's settings", changedFile("packages/a/.npmrc", { status: "added" })],
    ["what a set-up installs", changedFile("node_modules/.bin/vitest", { status: "added" })],
    ["what a package of it is", changedFile("node_modules/chai/package.json", { status: "modified" })],
    ["what a package is that came along", changedFile("lib/vendor/chai/package.json", { status: "added" })],
    ["another name for the Makefile", changedFile("GNUmakefile", { status: "added" })],
    [
      "settings that a runner finds before those it has",
      changedFile("vitest.workspace.ts", { status: "added" }),
    ],
    ["a test that is gone", changedFile("test/a.test.ts", { status: "deleted" })],
    ["a test that became a link", changedFile("test/a.test.ts", { status: "type" })],
    ["a snapshot that is gone", changedFile("src/__snapshots__/a.snap", { status: "deleted" })],
    [
      "what tests get in place of a package, and is gone",
      changedFile("__mocks__/axios.js", { status: "deleted" }),
    ],
  ])("is not to be changed without being asked for: %s", async (_what, changed) => {
    const { points } = await ruled([changed]);
    expect(points).toMatchObject([{ by: "rules", file: changed.path }]);
    const listed = await ruled([changed], [changed.path]);
    expect(listed.points).toEqual([]);
  });

  it.each([
    ["source", changedFile("src/a.ts", { status: "modified" })],
    ["a new test", changedFile("test/b.test.ts", { status: "added" })],
    [
      "a list of dependencies, although the set-up names it",
      changedFile("requirements.txt", { status: "modified" }),
    ],
    ["a lock file", changedFile("package-lock.json", { status: "modified" })],
    ["a package of its own", changedFile("packages/a/package.json", { status: "added" })],
    [
      "settings of a runner that the project does not protect",
      changedFile("vite.config.ts", { status: "modified" }),
    ],
    [
      "settings of a runner for a test of it",
      changedFile("test/fixtures/vite.config.ts", { status: "added" }),
    ],
  ])("is not %s", async (_what, changed) => {
    expect(await ruled([changed])).toEqual({ points: [], notes: [] });
  });

  it.each([
    "opentiger.json",
    "a/.gitattributes",
    "a/.npmrc",
    "a/.yarnrc",
    "a/.yarnrc.yml",
    "a/.yarn/releases/yarn.cjs",
    "a/.pnpmfile.cjs",
    "a/bunfig.toml",
    "a/.envrc",
    "a/.env",
    "a/.tool-versions",
    "a/.mise.toml",
    "a/pip.conf",
    "a/sitecustomize.py",
    "a/usercustomize.py",
    "a/.cargo/config",
    "a/.cargo/config.toml",
    // A link to a folder that has it.
    ".cargo",
    "a/GNUmakefile",
    "a/makefile",
    "a/Makefile",
    "a/justfile",
    "a/Justfile",
    "a/.justfile",
    "a/Taskfile.yml",
    "a/taskfile.yaml",
    "a/Taskfile.dist.yaml",
    "a/go.work",
    "a/node_modules/b/index.js",
    "a/.venv/bin/pytest",
    "a/vendor/b/package.json",
    "a/.env.test",
    "a/.pnp.cjs",
    "Makefile.local",
    "a/rules.mk",
    "pom.xml",
    "a/.mvn/maven.config",
    "a/build.gradle.kts",
    "gradle.properties",
    "a/build.rs",
    "CMakeLists.txt",
    "Rakefile",
    "phpunit.xml.dist",
    "mix.exs",
    "a/shop.csproj",
    "gulpfile.js",
  ])("is %s in any project, and taken from before the change", async (path) => {
    const bare = { ...project, protectedPaths: [] };
    expect((await ruled([changedFile(path, { status: "modified" })], [], bare)).points).toMatchObject([
      { file: path },
    ]);
    expect(restoredPaths(bare, task)(path)).toBe(true);
  });

  it.each([
    ...["vitest", "vite", "jest", "karma", "playwright", "cypress", "ava"].map((name) => `${name}.config.js`),
    "karma.conf.js",
    "vitest.workspace.ts",
    "vitest.projects.ts",
    ".mocharc.yml",
    ".nycrc",
    ".c8rc.json",
    ".taprc",
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    "tox.ini",
    "setup.cfg",
    ".config/nextest.toml",
  ])("is a new %s, in any folder", async (path) => {
    const added = ["", "a/"].map((folder) => changedFile(`${folder}${path}`, { status: "added" }));
    expect((await ruled(added)).points).toMatchObject([{ file: path }, { file: `a/${path}` }]);
  });

  it.each([
    "vite.config.ts",
    "postcss.config.cjs",
    "eslint.config.mjs",
    ".babelrc",
    "a/.swcrc",
    "tsconfig.json",
    "biome.json",
    "pnpm-workspace.yaml",
    "a/conftest.py",
  ])("may be %s: the checks are run again without what was changed there", async (path) => {
    const bare = { ...project, protectedPaths: [] };
    expect((await ruled([changedFile(path, { status: "modified" })], [], bare)).points).toEqual([]);
    expect(restoredPaths(bare, task)(path)).toBe(true);
  });

  it("is no example of settings", async () => {
    expect((await ruled([changedFile(".env.example", { status: "modified" })])).points).toEqual([]);
  });

  it.each(["argparse.py", "argparse/__init__.py", "api/json.py", "pytest_cov.py", "api/attr/__init__.py"])(
    "is a new %s, which Python would take for its own, or for the runner's, where the checks are run",
    async (path) => {
      expect((await ruled([changedFile(path, { status: "added" })])).points).toMatchObject([{ file: path }]);
      expect((await ruled([changedFile(path, { status: "modified" })])).points).toEqual([]);
    },
  );

  it.each(["shop/argparse.py", "argparse/list.py", "shop.py", "api/shop/json.py", "shop/pytest_cov.py"])(
    "is not %s, which Python never takes for its own",
    async (path) => {
      expect((await ruled([changedFile(path, { status: "added" })])).points).toEqual([]);
    },
  );

  it.each(["packages/new/package.json", "package-lock.json", "npm-shrinkwrap.json", "go.mod"])(
    "is %s where it is a link, since nobody knows what it says",
    async (path) => {
      for (const status of ["added", "type"] as const) {
        const linked: FileChange = changedFile(path, {
          status,
          newMode: "120000",
          linkTarget: "lib/it.json",
        });
        expect((await ruled([linked])).points).toMatchObject([{ by: "rules", file: path }]);
      }
    },
  );

  it("is told to the model where a test was changed that the plan does not name", async () => {
    const { points, notes } = await ruled([changedFile("test/a.test.ts", { status: "modified" })]);
    expect(points).toEqual([]);
    expect(notes).toEqual([expect.stringContaining("test/a.test.ts")]);
  });

  it("is a list of dependencies, or a manifest, where the project itself says so", async () => {
    const named = { ...written, protectedPaths: ["package.json", "requirements.txt"] };
    for (const path of ["package.json", "requirements.txt"]) {
      const { points } = await ruled([changedFile(path, { status: "modified" })], [], named);
      expect(points).toMatchObject([{ file: path }]);
      expect(restoredPaths(named, task)(path)).toBe(true);
    }
    // As it is detected, and written down by `opentiger init`.
    expect(restoredPaths(written, task)("package.json")).toBe(false);
  });

  it("is taken from before the change in the second round, but for what the plan names", () => {
    const isRestored = restoredPaths(project, { role: "worker", mayChange: ["test/new/**"] });
    const kept = ["src/a.ts", "test/new/a.ts", "package.json", "package-lock.json", "go.mod"];
    expect(kept.filter(isRestored)).toEqual([]);
    const restored = [
      "test/a.ts",
      "src/a.snap",
      "__mocks__/axios.js",
      "src/setupTests.ts",
      "scripts/x.sh",
      "Makefile",
      "opentiger.json",
      "node_modules/chai/package.json",
      ...["package.json", "package-lock.json", "requirements.txt", "go.mod"].map(
        (name) => `test/kit/${name}`,
      ),
    ];
    expect(restored.filter((path) => !isRestored(path))).toEqual([]);
  });

  it("is of a tester's tests its own", () => {
    const isRestored = restoredPaths(project, { role: "tester", mayChange: [] });
    expect(["test/a.ts", "Makefile"].filter(isRestored)).toEqual(["Makefile"]);
  });
});

describe("tests that are new", () => {
  it("are those of the change, but for what would steer others", () => {
    const added = ["test/b.test.ts", "test/conftest.py", "test/vite.config.ts", "src/b.ts"];
    const isNew = isNewTest(project, [
      ...added.map((path) => changedFile(path, { status: "added" })),
      changedFile("test/a.test.ts", { status: "modified" }),
    ]);
    expect([...added, "test/a.test.ts"].filter(isNew)).toEqual(["test/b.test.ts"]);
  });
});

async function ruled(changes: readonly FileChange[], mayChange: readonly string[] = [], of = project) {
  const readFile = async (): Promise<undefined> => undefined;
  const asked = { changes, from: "a", to: "b", project: of, task: { ...task, mayChange: [...mayChange] } };
  const none = { listFiles: async () => [], contents: async () => new Map(), ignored: async () => [] };
  return changedRules({ readFile, ...none }, asked);
}
