import type { Project } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import type { FileChange } from "../git/file-change.ts";
import { pathMatcher } from "../git/path-matcher.ts";
import type { TreeEntry } from "../git/tree-entry.ts";
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
    ["a script", change("scripts/test.sh", "modified")],
    ["a new one", change("scripts/more.sh", "added")],
    ["a Makefile that is gone", change("Makefile", "deleted")],
    ["the package manager's settings", change("packages/a/.npmrc", "added")],
    ["what a set-up installs", change("node_modules/.bin/vitest", "added")],
    ["what a package of it is", change("node_modules/chai/package.json", "modified")],
    ["what a package is that came along", change("lib/vendor/chai/package.json", "added")],
    ["another name for the Makefile", change("GNUmakefile", "added")],
    ["settings that a runner finds before those it has", change("vitest.workspace.ts", "added")],
    ["a test that is gone", change("test/a.test.ts", "deleted")],
    ["a test that became a link", change("test/a.test.ts", "type")],
    ["a snapshot that is gone", change("src/__snapshots__/a.snap", "deleted")],
    ["what tests get in place of a package, and is gone", change("__mocks__/axios.js", "deleted")],
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
    ["a package of its own", change("packages/a/package.json", "added")],
    ["settings of a runner that the project does not protect", change("vite.config.ts", "modified")],
    ["settings of a runner for a test of it", change("test/fixtures/vite.config.ts", "added")],
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
    expect((await ruled([change(path, "modified")], [], bare)).points).toMatchObject([{ file: path }]);
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
    const added = ["", "a/"].map((folder) => change(`${folder}${path}`, "added"));
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
    expect((await ruled([change(path, "modified")], [], bare)).points).toEqual([]);
    expect(restoredPaths(bare, task)(path)).toBe(true);
  });

  it("is no example of settings", async () => {
    expect((await ruled([change(".env.example", "modified")])).points).toEqual([]);
  });

  it.each(["argparse.py", "argparse/__init__.py", "api/json.py", "pytest_cov.py", "api/attr/__init__.py"])(
    "is a new %s, which Python would take for its own, or for the runner's, where the checks are run",
    async (path) => {
      expect((await ruled([change(path, "added")])).points).toMatchObject([{ file: path }]);
      expect((await ruled([change(path, "modified")])).points).toEqual([]);
    },
  );

  it.each(["shop/argparse.py", "argparse/list.py", "shop.py", "api/shop/json.py", "shop/pytest_cov.py"])(
    "is not %s, which Python never takes for its own",
    async (path) => {
      expect((await ruled([change(path, "added")])).points).toEqual([]);
    },
  );

  it.each(["packages/new/package.json", "package-lock.json", "npm-shrinkwrap.json", "go.mod"])(
    "is %s where it is a link, since nobody knows what it says",
    async (path) => {
      for (const status of ["added", "type"] as const) {
        const linked: FileChange = { ...change(path, status), newMode: "120000", linkTarget: "lib/it.json" };
        expect((await ruled([linked])).points).toMatchObject([{ by: "rules", file: path }]);
      }
    },
  );

  it("is told to the model where a test was changed that the plan does not name", async () => {
    const { points, notes } = await ruled([change("test/a.test.ts", "modified")]);
    expect(points).toEqual([]);
    expect(notes).toEqual([expect.stringContaining("test/a.test.ts")]);
  });

  it("is a list of dependencies, or a manifest, where the project itself says so", async () => {
    const named = { ...written, protectedPaths: ["package.json", "requirements.txt"] };
    for (const path of ["package.json", "requirements.txt"]) {
      const { points } = await ruled([change(path, "modified")], [], named);
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
      ...added.map((path) => change(path, "added")),
      change("test/a.test.ts", "modified"),
    ]);
    expect([...added, "test/a.test.ts"].filter(isNew)).toEqual(["test/b.test.ts"]);
  });
});

describe("what a package is", () => {
  const json = JSON.stringify;
  const manifest = { name: "shop", devDependencies: { vitest: "^4.0.0", own: "workspace:*" } };
  const base = { "package.json": json(manifest), "packages/own/package.json": json({ name: "own" }) };
  const lock = (vitest: object): string =>
    json({ lockfileVersion: 3, packages: { "node_modules/vitest": vitest } });
  const depends = (on: object): string => json({ ...manifest, devDependencies: on });

  it.each([
    ["comes from a folder", { "package.json": depends({ vitest: "file:./lib" }) }, "package.json"],
    ["comes from a folder by its path", { "package.json": depends({ vitest: "../lib" }) }, "package.json"],
    ["is another one under its name", { "package.json": depends({ vitest: "npm:fake@4" }) }, "package.json"],
    ["comes from a git host", { "package.json": depends({ vitest: "somebody/vitest" }) }, "package.json"],
    [
      "has one of its own",
      { "packages/x/package.json": json({ name: "vitest" }) },
      "packages/x/package.json",
    ],
    [
      "gets one that is renamed",
      { "packages/own/package.json": json({ name: "vitest" }) },
      "packages/own/package.json",
    ],
    [
      "comes from a folder for a package that did not name it",
      { "packages/own/package.json": json({ name: "own", devDependencies: { vitest: "link:./fake" } }) },
      "packages/own/package.json",
    ],
    [
      "is another one for a new package",
      { "packages/x/package.json": json({ name: "x", devDependencies: { vitest: "workspace:fake@*" } }) },
      "packages/x/package.json",
    ],
    [
      "is another program",
      { "kit/package.json": json({ name: "kit", bin: { vitest: "vitest.sh" } }) },
      "kit/package.json",
    ],
  ])("is not decided by a change after which the runner %s", async (_what, edits, path) => {
    expect((await ruledIn(base, edits)).points).toMatchObject([{ by: "rules", file: path }]);
    expect((await ruledIn(base, edits, [path])).points).toEqual([]);
  });

  it("is not decided by a lock file that leads to a folder of the repository", async () => {
    const registry = { version: "4.0.0", resolved: "https://registry.example.test/vitest-4.0.0.tgz" };
    const before = { ...base, "package-lock.json": lock(registry) };
    const edits = { "package-lock.json": lock({ resolved: "lib/vt", link: true }) };
    expect((await ruledIn(before, edits)).points).toMatchObject([{ file: "package-lock.json" }]);
    const newer = { "package-lock.json": lock({ ...registry, version: "4.0.1" }) };
    expect((await ruledIn(before, newer)).points).toEqual([]);
  });

  it.each([
    ["below another", { "node_modules/vitest/node_modules/chai": { resolved: "lib/chai", link: true } }],
    ["as a copy", { "node_modules/chai": { version: "6.0.0", resolved: "file:lib/chai" } }],
    ["as a copy below another", { "node_modules/vitest/node_modules/chai": { resolved: "./lib/chai" } }],
    ["in a form that nobody can read", { "node_modules/chai": { resolved: "lib/chai", link: "yes" } }],
  ])("is not decided by a lock file that takes what it is made of from a folder, %s", async (_how, taken) => {
    const chai = { version: "6.0.0", resolved: "https://registry.example.test/chai-6.0.0.tgz" };
    const packages = { "node_modules/chai": chai };
    const before = { ...base, "package-lock.json": json({ packages }) };
    for (const name of ["package-lock.json", "npm-shrinkwrap.json"]) {
      const edits = { [name]: json({ packages: { ...packages, ...taken } }) };
      expect((await ruledIn(before, edits)).points).toMatchObject([{ file: name }]);
    }
    const own = { "packages/new": {}, "node_modules/new": { resolved: "packages/new", link: true } };
    const edits = { "package-lock.json": json({ packages: { ...packages, ...own } }) };
    expect((await ruledIn(before, edits)).points).toEqual([]);
  });

  it("is not decided by a list of dependencies that counts before the one that has it", async () => {
    const before = { ...base, "package.json": json({ dependencies: { jest: "^30.0.0" } }) };
    const twice = { dependencies: { jest: "^30.0.0" }, devDependencies: { jest: "file:lib/jest" } };
    const hidden = { devDependencies: { jest: "file:lib/jest", other: 1 } };
    for (const manifest of [twice, hidden])
      expect((await ruledIn(before, { "package.json": json(manifest) })).points).toMatchObject([
        { file: "package.json" },
      ]);
  });

  it.each([
    ["takes another version", { "package.json": depends({ vitest: "~4.1.0", own: "workspace:*" }) }],
    ["depends on less", { "package.json": depends({ own: "workspace:*" }) }],
    ["depends on more", { "package.json": depends({ vitest: "^4.0.0", own: "workspace:*", zod: "^4" }) }],
    ["has another one", { "packages/x/package.json": json({ name: "x" }) }],
    [
      "depends on the same in another package",
      { "packages/own/package.json": json({ name: "own", devDependencies: { vitest: "catalog:" } }) },
    ],
    [
      "depends on its own in another package",
      { "packages/x/package.json": json({ name: "x", dependencies: { own: "link:../own" } }) },
    ],
    ["has a program of its own", { "packages/own/package.json": json({ name: "own", bin: "own.js" }) }],
    ["moves its own", { "package.json": depends({ vitest: "^4.0.0", own: "file:packages/own" }) }],
  ])("may be another in a project that %s", async (_what, edits) => {
    expect((await ruledIn(base, edits)).points).toEqual([]);
  });
});

it("a project may have a package of its own by that name wherever it has it by its version", async () => {
  const base = {
    "packages/own/package.json": JSON.stringify({ name: "own" }),
    "packages/plugin/package.json": JSON.stringify({ name: "plugin", peerDependencies: { own: "^1.0.0" } }),
  };
  const uses = (own: string): Contents => ({
    "packages/x/package.json": JSON.stringify({ name: "x", dependencies: { own } }),
  });
  for (const source of ["workspace:*", "workspace:^", "workspace:~1.0.0"])
    expect((await ruledIn(base, uses(source))).points).toEqual([]);
  for (const source of ["workspace:./fake", "workspace:fake@*", "portal:fake"])
    for (const before of [base, { ...base, ...uses("workspace:*") }])
      expect((await ruledIn(before, uses(source))).points).toMatchObject([{ by: "rules" }]);
});

it("what a workspace has from a registry for all of its packages comes from nowhere else for one of them", async () => {
  const own = (vitest: string): Contents => ({
    "package.json": JSON.stringify({ name: "own", devDependencies: { vitest } }),
  });
  expect((await ruledIn(own("catalog:"), own("link:./fake"))).points).toMatchObject([{ by: "rules" }]);
  expect((await ruledIn(own("^4.0.0"), own("catalog:tests"))).points).toEqual([]);
});

describe("a Go module", () => {
  const module = "module example.test/shop\n\ngo 1.22\n\nrequire example.test/a v1.0.0\n";
  const base = { "go.mod": module, "tools/go.mod": module };

  it.each([
    ["takes a folder out of another", { "pkg/cart/go.mod": "module example.test/cart\n" }, "pkg/cart/go.mod"],
    ["has another in place of one", { "go.mod": `${module}replace example.test/a => ./fake\n` }, "go.mod"],
    ["has that in a block", { "go.mod": `${module}replace (\n\texample.test/a => ./fake\n)\n` }, "go.mod"],
    [
      "has that behind a block",
      { "go.mod": `${module}require (\n\texample.test/b v1.0.0\n)\nreplace example.test/a => ./fake\n` },
      "go.mod",
    ],
    ["leaves a folder out", { "go.mod": `${module}ignore ./pkg/cart\n` }, "go.mod"],
    ["is gone", { "tools/go.mod": undefined }, "tools/go.mod"],
    [
      "brings its packages along",
      { "vendor/example.test/a/a.go": "package a\n" },
      "vendor/example.test/a/a.go",
    ],
  ])("that %s decides what is tested", async (_what, edits, path) => {
    expect((await ruledIn(base, edits)).points).toMatchObject([{ by: "rules", file: path }]);
    expect((await ruledIn(base, edits, [path])).points).toEqual([]);
  });

  it.each([
    ["depends on more", { "go.mod": `${module}require (\n\texample.test/b v1.0.0 // indirect\n)\n` }],
    ["says so without a blank", { "go.mod": `${module}require(\n\texample.test/b v1.0.0\n)\n` }],
    ["needs a newer Go", { "go.mod": module.replace("1.22", "1.23\ntoolchain go1.23.1") }],
    ["says why", { "go.mod": `// The shop.\n${module}` }],
  ])("that %s does not", async (_what, edits) => {
    expect((await ruledIn(base, edits)).points).toEqual([]);
  });

  it.each([
    ["takes a folder out of it", { "tools/list/go.mod": module }, "tools/list/go.mod"],
    [
      "brings its packages along",
      { "tools/vendor/example.test/a/a.go": "package a\n" },
      "tools/vendor/example.test/a/a.go",
    ],
    ["is without a replacement that it had", { "tools/go.mod": module }, "tools/go.mod"],
  ])("that is in a folder, and %s, does so too", async (_what, edits, path) => {
    const inFolder = { "tools/go.mod": `${module}replace example.test/a => ./mended\n` };
    expect((await ruledIn(inFolder, edits)).points).toMatchObject([{ by: "rules", file: path }]);
  });

  it("may be new where none was, and other folders may be called vendor there", async () => {
    const edits = { "shop/go.mod": module, "src/vendor/list.js": "export {};\n" };
    expect((await ruledIn({}, edits)).points).toEqual([]);
  });
});

type Contents = Readonly<Record<string, string | undefined>>;

/** What is said of these edits of these files. */
async function ruledIn(base: Contents, edits: Contents, mayChange: readonly string[] = []) {
  const commits: Record<string, Contents> = { a: base, b: { ...base, ...edits } };
  const readFile = async (commit: string, path: string): Promise<Buffer | undefined> => {
    const content = commits[commit]?.[path];
    return content === undefined ? undefined : Buffer.from(content);
  };
  const changes = Object.entries(edits).map(([path, content]) => {
    if (content === undefined) return change(path, "deleted");
    return change(path, base[path] === undefined ? "added" : "modified");
  });
  const asked = { changes, from: "a", to: "b", project, task: { ...task, mayChange: [...mayChange] } };
  const paths = Object.keys(base);
  const listFiles = async (_commit: string, globs: readonly string[] = []): Promise<TreeEntry[]> =>
    paths.filter(pathMatcher(globs)).map((path) => ({ path, mode: "100644", oid: path, size: 0 }));
  const contents = async (oids: readonly string[]): Promise<Map<string, Buffer>> =>
    new Map(oids.map((oid) => [oid, Buffer.from(base[oid] ?? "")]));
  return changedRules({ readFile, listFiles, contents, ignored: async () => [] }, asked);
}

async function ruled(changes: readonly FileChange[], mayChange: readonly string[] = [], of = project) {
  const readFile = async (): Promise<undefined> => undefined;
  const asked = { changes, from: "a", to: "b", project: of, task: { ...task, mayChange: [...mayChange] } };
  const none = { listFiles: async () => [], contents: async () => new Map(), ignored: async () => [] };
  return changedRules({ readFile, ...none }, asked);
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
