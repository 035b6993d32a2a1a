import { describe, expect, it } from "vitest";
import { detectIn, type ProjectContents } from "../../fixture/detected-project.ts";

describe("a manifest that somebody wrote to keep us busy", () => {
  const long = 50_000;
  it.each<[string, ProjectContents]>([
    [
      "a script that is almost nothing",
      { "package.json": { scripts: { test: `echo${" ".repeat(long)}&x` } } },
    ],
    [
      "a script that is almost a call",
      { "package.json": { scripts: { test: `node${" --test".repeat(long)}!` } } },
    ],
    [
      "more patterns of workspaces than folders",
      {
        "package.json": { workspaces: Array.from({ length: long }, (_, at) => `${"**/a".repeat(5)}${at}`) },
        ...Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`a/${at}/package.json`, {}])),
      },
    ],
    [
      "more keys of a workspace than anybody writes",
      {
        "package.json": {},
        "pnpm-workspace.yaml": Array.from({ length: 20_000 }, (_, at) => `key-${at}: 1\n`).join(""),
      },
    ],
  ])("is read in a moment: %s", async (_, files) => {
    const began = performance.now();
    await detectIn(files);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe("a test script", () => {
  it.each(['echo "Error: no test specified" && exit 1', "echo none", "exit 0", "true", "", "echo a; exit 1"])(
    "that tests nothing is no check: %s",
    async (test) => {
      expect((await detectIn({ "package.json": { scripts: { test } } })).verify).toEqual([]);
    },
  );

  it.each([["echo hi && mocha"], ["exitzero"], ["tsc && node x"]])(
    "that does something is one: %s",
    async (test) => {
      expect((await detectIn({ "package.json": { scripts: { test } } })).verify).toHaveLength(1);
    },
  );

  it("that is nothing but vitest is asked to tell of each test", async () => {
    const { verify } = await detectIn({ "package.json": { scripts: { test: "vitest run --coverage" } } });
    expect(verify).toEqual([
      {
        command: "npm test -- --reporter=default --reporter=json --outputFile.json=.opentiger-tests.json",
        reporter: { format: "vitest-json", path: ".opentiger-tests.json" },
      },
    ]);
  });

  it("that is nothing but node's runner is too", async () => {
    const { verify } = await detectIn({
      "package.json": { scripts: { test: "node --import=tsx --test" } },
      "pnpm-lock.yaml": "",
    });
    expect(verify[0]?.command).toMatch(
      /^pnpm run test --test-reporter=spec .* --test-reporter-destination=\.opentiger-tests\.tap$/,
    );
  });

  it.each([
    "vitest run && echo",
    "vitest --reporter=dot",
    "node --test test/*.js",
    "node --test --test-reporter=dot",
  ])("that is more than that is taken as it is: %s", async (test) => {
    expect((await detectIn({ "package.json": { scripts: { test } } })).verify).toEqual([
      { command: "npm test" },
    ]);
  });
});
