import { rmSync } from "node:fs";
import { join } from "node:path";
import type { LoopSettings, PlannedTask } from "@opentiger/schema";
import { fullSize, makeNoise } from "../setup/full-size.ts";
import { goImage } from "../setup/go-image.ts";
import { userRepository } from "../setup/loop-world.ts";
import { ordered } from "../setup/obedient-agent.ts";
import {
  detached,
  dirty,
  type Files,
  git,
  partial,
  shallow,
  withCrlf,
  withLargeFile,
  withoutCommit,
  withSubmodule,
} from "../setup/odd-repositories.ts";
import { soak } from "../setup/soak.ts";

/** A loop on a repository as users have them. The agent is a shell: what is shown here does not depend on a model. */
export interface Kind {
  repository(): string;
  task?: PlannedTask;
  settings?: Partial<LoopSettings>;
  /** What it shows is the same on the host, where there is nothing to be made; in sandboxes it is shown at full size. */
  anywhere?: true;
  /** What the user is told before anything is worked on. */
  said: readonly RegExp[];
  /** What would be untrue. */
  unsaid?: RegExp;
}

export interface Works extends Kind {
  /** All files that the branch changes, with what they hold then. */
  branch: Files;
}

export interface Refused extends Kind {
  /** Why nothing comes of it, and what to do. */
  detail: RegExp;
}

const readme = { "README.md": "A project.\n" };
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const nodeTest = (name: string, body: string): string =>
  `import assert from "node:assert";\nimport { test } from "node:test";\n${body}\ntest("${name}", () => assert.equal(value, 1));\n`;
export const writes = ordered("done", ["echo done > done.txt"]);
const done = { "done.txt": "done\n" };
/** What is in a project of two packages, of which one needs the other. */
const packages = {
  "packages/one/package.json": json({ name: "one", version: "1.0.0", type: "module", exports: "./one.mjs" }),
  "packages/one/one.mjs": "export const value = 1;\n",
  "packages/two/two.test.mjs": nodeTest("two knows one", 'import { value } from "one";'),
};
const two = { name: "two", version: "1.0.0", type: "module", scripts: { test: "node --test" } };

const unittestCase =
  "import unittest\nimport it\n\nclass It(unittest.TestCase):\n    def test_value(self):\n        self.assertEqual(it.value, 1)\n";

const crlfFiles = "converted.txt kept.txt plain.txt older.txt";

export const working: Readonly<Record<string, Works>> = {
  "with a red test": {
    anywhere: true,
    repository: () =>
      userRepository({
        "package.json": json({ name: "red", type: "module", scripts: { test: "node --test" } }),
        "test/green.test.mjs": nodeTest("is green", "const value = 1;"),
        "test/red.test.mjs": nodeTest("is red", "const value = 2;"),
      }),
    said: [/"is red \(npm test/, /of \d checks are red before anything is changed/, /npm \(package\.json\)/],
    branch: done,
  },
  "whose only check is red, and mended by the task": {
    anywhere: true,
    repository: () => userRepository({ ...readme, "check.sh": "grep -q better README.md\n" }),
    settings: { project: { verify: [{ command: "sh check.sh" }] } },
    task: ordered("readme", ["echo better > README.md"], { allowedPaths: ["README.md"] }),
    said: [/"red":\["sh check\.sh"\]/],
    branch: { "README.md": "better\n" },
  },
  "without any test": {
    anywhere: true,
    repository: () => userRepository(readme),
    said: [/no checks: nothing but the judge's model speaks for a change/, /no verify command/],
    branch: done,
  },
  "of several packages, with npm": {
    repository: () =>
      userRepository({
        ...packages,
        "package.json": json({ name: "many", private: true, workspaces: ["packages/*"] }),
        "packages/two/package.json": json({ ...two, dependencies: { one: "1.0.0" } }),
        ".gitignore": "node_modules\n",
      }),
    task: ordered("one", ["echo 'export const more = 2;' >> packages/one/one.mjs"], {
      allowedPaths: ["packages/one/**"],
    }),
    said: [/npm install/, /npm test --workspace=packages\/two/, /"red":\[\]/],
    branch: { "packages/one/one.mjs": "export const value = 1;\nexport const more = 2;\n" },
  },
  "of several packages, with pnpm": {
    repository: () =>
      userRepository({
        ...packages,
        "package.json": json({ name: "many", private: true }),
        "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
        "pnpm-lock.yaml": pnpmLock,
        "packages/two/package.json": json({ ...two, dependencies: { one: "workspace:*" } }),
        ".gitignore": "node_modules\n",
      }),
    said: [/pnpm install --frozen-lockfile/, /pnpm --filter=\.\/packages\/two run test/, /"red":\[\]/],
    branch: done,
  },
  "with npm, a lock file and a package": {
    repository: () =>
      userRepository({
        "package.json": json(npmManifest),
        "package-lock.json": json(npmLock),
        "local/package.json": json({ name: "local", version: "1.0.0", type: "module", exports: "./it.mjs" }),
        "local/it.mjs": "export const value = 1;\n",
        "test/it.test.mjs": nodeTest("has its package", 'import { value } from "local";'),
        ".gitignore": "node_modules\n",
      }),
    said: [/npm ci/, /npm \(package-lock\.json\)/, /"red":\[\]/],
    branch: done,
  },
  "in python": {
    repository: () =>
      userRepository({
        "requirements.txt": "# nothing\n",
        "it.py": "value = 1\n",
        "test_it.py": unittestCase,
        ".gitignore": ".venv\n__pycache__\n",
      }),
    said: [/python3 -m venv/, /unittest discover/, /"red":\[\]/],
    branch: done,
  },
  ...(soak ? { "in go, with an image that has it": inGo() } : {}),
  "with a submodule": {
    repository: () => withSubmodule({ "check.sh": "test -d inner\n" }),
    settings: { project: { verify: [{ command: "sh check.sh" }] } },
    said: [/submodules are empty folders in the sandboxes.*: inner/, /"red":\[\]/],
    branch: done,
  },
  "with files that Git LFS keeps": {
    repository: () => withLargeFile({ "check.sh": "grep -q git-lfs big.bin\n" }),
    settings: { project: { verify: [{ command: "sh check.sh" }] } },
    said: [/Git LFS keeps are pointers in the sandboxes/, /uncommitted changes stay where they are/],
    branch: done,
  },
  "with CRLF": {
    anywhere: true,
    repository: () =>
      withCrlf({
        "check.sh": `for each in ${crlfFiles}; do grep -q "one$(printf '\\r')" $each || exit 1; done\n`,
      }),
    settings: { project: { verify: [{ command: "sh check.sh" }] } },
    task: ordered("three", ["for each in converted kept; do printf 'three\\r\\n' >> $each.txt; done"], {
      allowedPaths: ["converted.txt", "kept.txt"],
    }),
    said: [/"red":\[\]/],
    unsaid: /the set-up changes tracked files/,
    branch: { "converted.txt": "one\nthree\n", "kept.txt": "one\r\nthree\r\n" },
  },
  "that is large": {
    anywhere: true,
    repository: () => {
      const root = userRepository(readme);
      makeNoise(root, fullSize.repositoryMegabytes);
      git(root, "add", "--all");
      git(root, "commit", "--quiet", "--message=noise");
      return root;
    },
    said: [],
    branch: done,
  },
  "without a commit": {
    anywhere: true,
    repository: withoutCommit,
    said: [/has no commit yet: the loop starts from an empty one, and `main` stays without/],
    branch: done,
  },
  "with work that is not committed": {
    anywhere: true,
    repository: () => dirty(readme),
    said: [/uncommitted changes stay where they are: the loop starts from the commit/],
    branch: done,
  },
  "with a detached HEAD": {
    anywhere: true,
    repository: () => detached(readme),
    said: [/HEAD is detached: the result is a branch all the same/],
    branch: done,
  },
  "with a shallow history": {
    anywhere: true,
    repository: () => shallow(readme),
    said: [/the history is shallow/],
    branch: done,
  },
};

/** Its image holds a compiler, and is built at full size alone. */
function inGo(): Works {
  return {
    repository: () =>
      userRepository({
        "go.mod": "module example.test/it\n\ngo 1.19\n",
        "it.go": "package it\n\nfunc Value() int { return 1 }\n",
        "it_test.go":
          'package it\n\nimport "testing"\n\nfunc TestValue(t *testing.T) {\n\tif Value() != 1 {\n\t\tt.Fatal(Value())\n\t}\n}\n',
      }),
    settings: { project: { image: goImage } },
    said: [/go \(go\.mod\)/, /go test \.\/\.\.\./, /"red":\[\]/],
    branch: done,
  };
}

export const refused: Readonly<Record<string, Refused>> = {
  "whose only check is red and stays so": {
    anywhere: true,
    repository: () => userRepository({ ...readme, "check.sh": "false\n" }),
    settings: { project: { verify: [{ command: "sh check.sh" }] } },
    said: [/"red":\["sh check\.sh"\]/],
    detail: /no check was green: there is no evidence/,
  },
  "in python, whose only test is red, in a folder that is no package": {
    repository: () =>
      userRepository({
        "pyproject.toml": "[tool.black]\n",
        "it.py": "value = 2\n",
        "tests/test_it.py": unittestCase,
        ".gitignore": "__pycache__\n",
      }),
    said: [/"red":\[".*python3 -m unittest discover -s tests"\]/],
    detail: /no check was green: there is no evidence/,
  },
  "with a file that Git LFS keeps, where the task changes it": {
    repository: () => withLargeFile(readme),
    task: ordered("big", ["seq 1000 > big.bin"], { allowedPaths: ["big.bin"] }),
    said: [/Git LFS keeps are pointers in the sandboxes/],
    detail: /Git LFS would keep this file, and what it keeps is not handed over/,
  },
  "in go, without go": {
    repository: () => userRepository({ "go.mod": "module example.test/it\n", "it.go": "package it\n" }),
    said: [/go \(go\.mod\)/],
    detail: /`go mod download` failed.*not found.*name an image that has this program under `image`/s,
  },
  "in rust, without cargo": {
    repository: () =>
      userRepository({ "Cargo.toml": '[package]\nname = "it"\nversion = "1.0.0"\n', "src/lib.rs": "" }),
    said: [/cargo \(Cargo\.toml\)/],
    detail: /`cargo fetch.*` failed.*not found.*name an image that has this program under `image`/s,
  },
  "with packages that cannot be had": {
    repository: () =>
      userRepository({ "package.json": json({ name: "far", dependencies: { "far-away": "1.0.0" } }) }),
    said: [/npm install/],
    detail: /`npm install.*` failed.*what it may reach under `network\.setup`/s,
  },
  "with a file of ours that nobody understands": {
    repository: () => userRepository({ "opentiger.json": '{ "verfiy": [] }\n' }),
    said: [],
    detail: /opentiger\.json is wrong at.*verfiy.*opentiger init --force/s,
  },
  "that lacks the contents of its files": {
    repository: () => partial(readme),
    said: [],
    detail: /git -C \S+ fetch --refetch --no-filter/,
  },
  "that is none": {
    repository: () => {
      const root = userRepository(readme);
      rmSync(join(root, ".git"), { recursive: true });
      return root;
    },
    said: [],
    detail: /git init/,
  },
  "with a branch where ours should be": {
    repository: () => {
      const root = userRepository(readme);
      git(root, "branch", "tiger");
      return root;
    },
    said: [],
    detail: /git -C \S+ branch -m tiger/,
  },
};

const npmManifest = {
  name: "locked",
  version: "1.0.0",
  type: "module",
  scripts: { test: "node --test" },
  dependencies: { local: "file:local" },
};

const npmLock = {
  name: "locked",
  version: "1.0.0",
  lockfileVersion: 3,
  requires: true,
  packages: {
    "": { name: "locked", version: "1.0.0", dependencies: { local: "file:local" } },
    local: { version: "1.0.0" },
    "node_modules/local": { resolved: "local", link: true },
  },
};

const pnpmLock = `lockfileVersion: '9.0'

settings:
  autoInstallPeers: true
  excludeLinksFromLockfile: false

importers:

  .: {}

  packages/one: {}

  packages/two:
    dependencies:
      one:
        specifier: workspace:*
        version: link:../one
`;
