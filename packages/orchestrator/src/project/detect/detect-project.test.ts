import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { detectIn, type ProjectContents } from "../../fixture/detected-project.ts";
import { pathMatcher } from "../../git/path-matcher.ts";

const testCase = "import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n";

const tested = { scripts: { test: "mocha" }, devDependencies: { mocha: "1" } };

describe("what a project is set up and checked with", () => {
  it.each<[string, ProjectContents, string[], string[], string[]]>([
    [
      "npm",
      { "package.json": tested, "package-lock.json": "{}" },
      ["npm (package-lock.json)"],
      ["npm ci --no-audit --no-fund"],
      ["npm test"],
    ],
    [
      "npm without a lock file",
      { "package.json": tested },
      ["npm (package.json)"],
      ["npm install --no-package-lock --no-audit --no-fund"],
      ["npm test"],
    ],
    [
      "npm without dependencies",
      { "package.json": { scripts: { test: "mocha" } } },
      ["npm (package.json)"],
      [],
      ["npm test"],
    ],
    [
      "pnpm",
      { "package.json": tested, "pnpm-lock.yaml": "" },
      ["pnpm (pnpm-lock.yaml)"],
      ["pnpm install --frozen-lockfile"],
      ["pnpm run test"],
    ],
    [
      "yarn 1",
      { "package.json": tested, "yarn.lock": "# yarn lockfile v1" },
      ["yarn (yarn.lock)"],
      ["yarn install --frozen-lockfile --non-interactive"],
      ["yarn run test"],
    ],
    [
      "a newer yarn",
      { "package.json": tested, "yarn.lock": "__metadata:\n  version: 8" },
      ["yarn (yarn.lock)"],
      ["yarn install --immutable"],
      ["yarn run test"],
    ],
    [
      "bun",
      { "package.json": tested, "bun.lock": "" },
      ["bun (bun.lock)"],
      ["bun install --frozen-lockfile"],
      ["bun run test"],
    ],
    [
      "a manager that is named",
      { "package.json": { ...tested, packageManager: "pnpm@9.0.0" }, "package-lock.json": "" },
      ["pnpm (package.json)"],
      ["pnpm install --no-lockfile"],
      ["pnpm run test"],
    ],
    [
      "types that a script checks",
      { "package.json": { scripts: { test: "mocha", typecheck: "tsc --noEmit" } } },
      ["npm (package.json)"],
      [],
      ["npm run typecheck", "npm test"],
    ],
    ["go", { "go.mod": "module x" }, ["go (go.mod)"], ["go mod download"], ["go test ./..."]],
    [
      "cargo",
      { "Cargo.toml": "[package]\n", "Cargo.lock": "" },
      ["cargo (Cargo.lock)"],
      ["cargo fetch --locked"],
      ["cargo test"],
    ],
    [
      "a workspace of cargo",
      { "Cargo.toml": "[workspace]\nmembers = []\n" },
      ["cargo (Cargo.toml)"],
      ["cargo fetch"],
      ["cargo test --workspace"],
    ],
    ["make", { Makefile: "all:\n\ttrue\n\ntest: all\n\t./run\n" }, ["make (Makefile)"], [], ["make test"]],
    ["make without such a target", { Makefile: "tests:\n\t./run\ntest := 1\n" }, [], [], []],
    [
      "go, which make only calls",
      { "go.mod": "", Makefile: "test:\n\tgo test ./...\n" },
      ["go (go.mod)"],
      ["go mod download"],
      ["go test ./..."],
    ],
    ["nothing that is known", { "README.md": "" }, [], [], []],
    ["a package.json that is none", { "package.json": "{" }, [], [], []],
  ])("%s", async (_what, files, detected, setup, verify) => {
    const found = await detectIn(files);
    expect(found).toMatchObject({ detected, setup });
    expect(found.verify.map(({ command }) => command)).toEqual(verify);
  });

  describe("a newer yarn that package.json names, and nothing brings along", () => {
    const named = (packageManager: string) => ({
      "package.json": { scripts: { test: "mocha" }, packageManager },
    });
    const fetched = [
      "npm install --no-save --no-package-lock --no-audit --no-fund --prefix .yarn/cli @yarnpkg/cli-dist@4.5.0",
      `echo 'yarn-path "./.yarn/cli/node_modules/@yarnpkg/cli-dist/bin/yarn.js"' > .yarnrc`,
    ];
    const modern = { "yarn.lock": "__metadata:\n  version: 8", ".yarnrc.yml": "nodeLinker: node-modules\n" };

    it.each(["yarn@4.5.0", "yarn@4.5.0+sha512.837566d24eec14ec0f5f1411adb544e8"])(
      "is fetched for the set-up, and is what yarn means from then on: %s",
      async (packageManager) => {
        const { setup, verify } = await detectIn({ ...named(packageManager), ...modern });
        expect(setup).toEqual([...fetched, "yarn install --immutable"]);
        expect(verify).toEqual([{ command: "yarn run test" }]);
      },
    );

    it("is used without a lock file too", async () => {
      expect((await detectIn(named("yarn@4.5.0"))).setup).toEqual([
        ...fetched,
        "yarn install --no-immutable",
      ]);
    });

    it.each<[string, ProjectContents]>([
      ["the repository has it", { ".yarnrc.yml": "yarnPath: .yarn/releases/yarn-4.5.0.cjs\n" }],
      ["the place where it would be named is taken", { ".yarnrc": 'yarn-path "x.cjs"\n' }],
    ])("is not fetched where %s", async (_, files) => {
      const { setup } = await detectIn({ ...named("yarn@4.5.0"), ...modern, ...files });
      expect(setup).toEqual(["yarn install --immutable"]);
    });

    it.each(["yarn@1.22.22", "yarn@4.5.0; rm x", "yarn@stable"])("is not fetched for %s", async (name) => {
      const { setup } = await detectIn({ ...named(name), "yarn.lock": "# yarn lockfile v1" });
      expect(setup.join()).not.toMatch(/npm|;/);
    });
  });

  it("python with uv", async () => {
    const files = {
      "pyproject.toml": '[project]\ndependencies = ["pytest"]\n',
      "uv.lock": "",
      "tests/test_a.py": "",
    };
    expect(await detectIn(files)).toMatchObject({
      detected: ["uv (uv.lock)"],
      setup: ["uv sync --locked"],
      verify: [
        {
          command: expect.stringMatching(/^uv run --no-sync python -m pytest --junitxml=/),
          reporter: { format: "junit" },
        },
      ],
    });
  });

  it("python with pip, in a folder of its own", async () => {
    const manifest =
      '[project]\nname = "x"\n[project.optional-dependencies]\ndev = ["pytest"]\nfast = []\n[tool.x]\n';
    const found = await detectIn({
      "pyproject.toml": manifest,
      "requirements.txt": "",
      "tests/test_a.py": "",
    });
    expect(found.setup).toEqual([
      "python3 -m venv .venv",
      ".venv/bin/python -m pip install -r requirements.txt -e '.[dev]' pytest",
    ]);
    expect(found.verify[0]?.command).toMatch(/^\.venv\/bin\/python -m pytest/);
  });

  it.each<[string, string[], string[]]>([
    ["at the top", ["test_a.py"], [""]],
    ["in a package", ["tests/__init__.py", "tests/test_a.py"], [""]],
    ["in a folder that is none", ["tests/test_a.py"], [" -s tests"]],
    ["in a package of such a folder", ["tests/unit/__init__.py", "tests/unit/test_a.py"], [" -s tests"]],
    ["in several such folders", ["tests/test_a.py", "tests/more/test_b.py"], [" -s tests", " -s tests/more"]],
    ["at the top and in such a folder", ["test_a.py", "tests/test_b.py"], ["", " -s tests"]],
    ["in a package below src", ["src/shop/__init__.py", "src/shop/test_a.py"], [" -s src"]],
    ["named the other way", ["a_test.py"], [" -p '*_test.py'"]],
    ["named the other way, in such a folder", ["tests/a_test.py"], [" -s tests -p '*_test.py'"]],
    ["named both ways", ["test_a.py", "b_test.py"], [""]],
    ["in a folder whose name a shell would not take as it is", ["it's; so/test_a.py"], []],
    ["in what tests only look at", ["tests/fixtures/test_a.py"], []],
    ["in what is no module", ["test-a.py", "tests/helpers.py"], []],
    ["nowhere", ["a.py"], []],
  ])("python without pytest, with its tests %s", async (_, paths, options) => {
    const files = Object.fromEntries(
      paths.map((path) => [path, path.endsWith("__init__.py") ? "" : testCase]),
    );
    const { verify } = await detectIn({ ...files, "requirements.txt": "flask\n" });
    const command = options.map((each) => `.venv/bin/python -m unittest discover${each}`).join(" && ");
    expect(verify).toEqual(command === "" ? [] : [{ command }]);
  });

  it.each([
    ["methods called so", "class A(Base):\n    async def test_a(self):\n        pass\n", 1],
    ["what the runner is given", "def load_tests(loader, tests, pattern):\n    return tests\n", 1],
    ["functions, which are for another runner", "def test_a():\n    assert True\n", 0],
    ["nothing", "", 0],
  ])("python is checked by unittest where that would find something: %s", async (_, content, count) => {
    const { verify } = await detectIn({ "requirements.txt": "flask\n", "test_a.py": content });
    expect(verify).toHaveLength(count);
  });

  it("python that needs nothing yet, also when a task has brought the first thing that it needs", async () => {
    const files = { "pyproject.toml": "[tool.black]\n", "test_a.py": testCase };
    const { setup, verify } = await detectIn(files);
    expect(setup).toEqual([]);
    const top = mkdtempSync(join(tmpdir(), "ot-python-"));
    const install = (bin: string, says: string): void => {
      mkdirSync(join(top, bin), { recursive: true });
      writeFileSync(join(top, bin, "python3"), `#!/bin/sh\necho ${says} "$@"\n`, { mode: 0o755 });
    };
    const env = { PATH: `${join(top, "machine")}:${process.env["PATH"]}` };
    const check = () =>
      execFileSync("sh", ["-c", verify[0]?.command ?? ""], { cwd: top, env, encoding: "utf8" });
    install("machine", "the machine");
    expect(check()).toBe("the machine -m unittest discover\n");
    const later = await detectIn({ ...files, "requirements.txt": "flask\n" });
    expect(later.setup[0]).toBe("python3 -m venv .venv");
    install(".venv/bin", "the environment");
    expect(check()).toBe("the environment -m unittest discover\n");
    rmSync(top, { recursive: true, force: true });
  });

  it("several at once", async () => {
    const found = await detectIn({ "package.json": tested, "go.mod": "module x" });
    expect(found.detected).toEqual(["npm (package.json)", "go (go.mod)"]);
    expect(found.verify.map(({ command }) => command)).toEqual(["npm test", "go test ./..."]);
  });
});

describe("a repository of several packages", () => {
  const inner = (test?: string) => ({ scripts: test === undefined ? {} : { test } });

  it("is checked by its own script where it has one", async () => {
    const found = await detectIn({
      "package.json": { workspaces: ["packages/*"], ...tested },
      "packages/a/package.json": inner("x"),
    });
    expect(found.verify).toEqual([{ command: "npm test" }]);
  });

  it("is checked by those of its packages that have a real one", async () => {
    const files = {
      "package.json": { workspaces: { packages: ["./packages/*", "!packages/c"] } },
      "packages/a/package.json": inner("jest"),
      "packages/b/package.json": inner("exit 0"),
      "packages/c/package.json": inner("jest"),
      "packages/d; rm x/package.json": inner("jest"),
      "packages/a/node_modules/m/package.json": inner("jest"),
      "other/package.json": inner("jest"),
    };
    expect((await detectIn(files)).verify).toEqual([{ command: "npm test --workspace=packages/a" }]);
    const withPnpm = { ...files, "package.json": {}, "pnpm-workspace.yaml": "packages:\n  - packages/*\n" };
    expect((await detectIn(withPnpm)).verify).toEqual([
      { command: "pnpm --filter=./packages/a --filter=./packages/c run test" },
    ]);
  });

  it("without anything at its top is looked at folder by folder", async () => {
    const found = await detectIn({
      "web/package.json": { scripts: { test: "vitest" } },
      "web/package-lock.json": "",
      "service/go.mod": "",
      "node_modules/x/package.json": tested,
      "docs/README.md": "",
    });
    expect(found.detected).toEqual(["go (go.mod) in service", "npm (package-lock.json) in web"]);
    expect(found.setup).toEqual(["cd service && go mod download"]);
    expect(found.verify[1]).toMatchObject({
      command: expect.stringMatching(/^cd web && npm test -- /),
      reporter: { path: "web/.opentiger-tests.json" },
    });
    expect(found.lockFiles).toContain("web/package-lock.json");
    expect(found.protectedPaths).toContain("web/**/package.json");
  });
});

describe("what counts as tests, and what checks depend on", () => {
  it.each([
    "pytest.py",
    "pytest/__init__.py",
    "unittest.py",
    "_pytest/__init__.py",
    "pluggy.py",
    "pytest.toml",
    ".pytest.toml",
    "src/pytest.ini",
    "evil.dist-info/entry_points.txt",
    "src/evil.egg-info/entry_points.txt",
  ])("is in a Python project %s, by which the runner would be another one", async (path) => {
    for (const files of [{ "requirements.txt": "pytest\n" }, { "uv.lock": "" }]) {
      const { protectedPaths } = await detectIn({ ...files, "tests/test_a.py": "" });
      expect(pathMatcher(protectedPaths)(path)).toBe(true);
    }
  });

  it.each(["shop/unittest.py", "packaging/debian/rules", "shop/__init__.py", "pytest_shop.py"])(
    "is not %s, which no runner takes for its own",
    async (path) => {
      const { protectedPaths } = await detectIn({ "requirements.txt": "pytest\n", "tests/test_a.py": "" });
      expect(pathMatcher(protectedPaths)(path)).toBe(false);
    },
  );

  it("has what every project has", async () => {
    const found = await detectIn({ "README.md": "" });
    expect(found.protectedPaths).toContain(".github/**");
    expect(found.testPaths.length).toBeGreaterThan(0);
  });

  it("has what the kinds add", async () => {
    const found = await detectIn({ "package.json": tested, "Cargo.toml": "" });
    expect(found.protectedPaths).toEqual(
      expect.arrayContaining(["**/package.json", "**/Cargo.toml", "scripts/**"]),
    );
    expect(found.lockFiles).toEqual(
      expect.arrayContaining(["package-lock.json", "package.json", "Cargo.lock"]),
    );
  });
});
