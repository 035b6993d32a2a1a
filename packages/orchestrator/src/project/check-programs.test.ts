import { describe, expect, it } from "vitest";
import { checkPrograms } from "./check-programs.ts";

type Files = Readonly<Record<string, string>>;

async function programs(command: string, files: Files): Promise<string[]> {
  return checkPrograms([command], Object.keys(files), async (path) => Buffer.from(files[path] ?? ""));
}

const script = (test: string, more: Files = {}): string => JSON.stringify({ scripts: { test, ...more } });

describe("what decides about a check as its command does", () => {
  it.each<[string, string, Files, string[]]>([
    ["the program that it runs", "node run.js", { "run.js": "" }, ["run.js"]],
    ["one in Python", "python3 -u run_all.py", { "run_all.py": "" }, ["run_all.py"]],
    ["one that is called as tests are", "node src/check.js", { "src/check.js": "" }, ["src/check.js"]],
    ["one without an interpreter", "./run --all", { run: "" }, ["run"]],
    ["a script", "sh ci/test.sh", { "ci/test.sh": "" }, ["ci/test.sh"]],
    [
      "what a script names",
      "sh ci/test.sh",
      { "ci/test.sh": "exec node all.mjs", "all.mjs": "" },
      ["ci/test.sh", "all.mjs"],
    ],
    [
      "what a script of a package.json runs",
      "npm test",
      { "package.json": script("node run.js"), "run.js": "" },
      ["run.js"],
    ],
    [
      "what is run before it",
      "npm test",
      { "package.json": script("mocha", { pretest: "node make.js" }), "make.js": "" },
      ["make.js"],
    ],
    [
      "what a script runs that this one runs",
      "yarn test",
      { "package.json": script("npm run --silent all", { all: "tsx all.ts" }), "all.ts": "" },
      ["all.ts"],
    ],
    [
      "what it loads beforehand",
      "npm t",
      { "package.json": script("mocha -r ./hook.js"), "hook.js": "" },
      ["hook.js"],
    ],
    [
      "what a package of a workspace runs, seen from its folder",
      "npm test --workspace=packages/a",
      { "packages/a/package.json": script("node run.js"), "packages/a/run.js": "", "run.js": "" },
      ["packages/a/run.js"],
    ],
    ["what a Makefile runs", "make test", { Makefile: "test:\n\t./run\n", run: "" }, ["run"]],
    [
      "what the settings of a runner load",
      "npx vitest run",
      {
        "vitest.config.ts": 'setupFiles: ["./load/hooks.ts", "src/setupTests.ts"]',
        "load/hooks.ts": "",
        "src/setupTests.ts": "",
      },
      ["load/hooks.ts", "src/setupTests.ts"],
    ],
  ])("is %s", async (_what, command, files, found) => {
    expect(await programs(command, files)).toEqual(found);
  });

  it.each<[string, string, Files]>([
    ["a program of the project", "node src/main.js --self-test", { "src/main.js": "" }],
    ["one at the top", "node index.js", { "index.js": "" }],
    ["what is only looked at", "eslint shop.js && tsc shop.ts", { "shop.js": "", "shop.ts": "" }],
    [
      "what another script runs",
      "npm test",
      { "package.json": script("mocha", { start: "node shop.js" }), "shop.js": "" },
    ],
    [
      "a source that a Makefile compiles",
      "make test",
      { Makefile: "shop: shop.c\n\tcc shop.c\n", "shop.c": "" },
    ],
    ["a list of dependencies", "pip install -r requirements.txt", { "requirements.txt": "" }],
    ["a manifest", "node package.json", { "package.json": "{}" }],
  ])("is not %s", async (_what, command, files) => {
    expect(await programs(command, files)).toEqual([]);
  });

  it("comes to an end where scripts name each other", async () => {
    const files = { "a.sh": "sh b.sh", "b.sh": "sh a.sh" };
    expect(await programs("sh a.sh", files)).toEqual(["a.sh", "b.sh"]);
  });
});
