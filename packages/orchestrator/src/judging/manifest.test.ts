import { describe, expect, it } from "vitest";
import { changedControls } from "./manifest.ts";

const before = {
  name: "sample",
  scripts: { test: "node --test", build: "tsc" },
  dependencies: { a: "1.0.0" },
  mocha: { spec: "test/**" },
};

describe("a package.json", () => {
  it.each([
    ["a test script replaced", { scripts: { ...before.scripts, test: "true" } }, ["scripts.test"]],
    ["a test script removed", { scripts: { build: "tsc" } }, ["scripts.test"]],
    ["something run before the tests", { scripts: { ...before.scripts, pretest: "x" } }, ["scripts.pretest"]],
    ["a runner's settings changed", { mocha: { spec: "none" } }, ["mocha"]],
    ["a runner's settings removed", { mocha: undefined }, ["mocha"]],
    ["a runner's settings added", { jest: { testMatch: [] } }, ["jest"]],
    ["aliases of imports", { imports: { "#assert": "./fake.js" } }, ["imports"]],
  ])("with %s has its controls changed", (_what, change, controls) => {
    expect(changedControls(file(before), file({ ...before, ...change }))).toEqual(controls);
  });

  it.each([
    ["a dependency", { dependencies: { a: "1.0.0", b: "2.0.0" } }],
    ["a script of its own", { scripts: { ...before.scripts, "list:json": "node list.js" } }],
    ["a script that begins as one before another", { scripts: { ...before.scripts, preview: "vite" } }],
    ["a version and a bin", { version: "2.0.0", bin: "x.js" }],
  ])("with %s more has not", (_what, change) => {
    expect(changedControls(file(before), file({ ...before, ...change }))).toEqual([]);
  });

  it.each([
    "install",
    "preinstall",
    "postinstall",
    "prepare",
    "prepack",
    "postpublish",
    "prepublishOnly",
    "dependencies",
  ])(
    "with something that is run at install or before it is published has its controls changed: %s",
    (name) => {
      const changed = { ...before, scripts: { ...before.scripts, [name]: "x" } };
      expect(changedControls(file(before), file(changed))).toEqual([`scripts.${name}`]);
    },
  );

  it("with a script in place of a program that a script or a check calls by that name has its controls changed", () => {
    const old = { scripts: { test: "yarn lint && pnpm -s vitest run", setup: "npm ci && bun run build" } };
    const named = ["lint", "vitest", "build", "ci", "run", "jest"];
    const now = { scripts: { ...old.scripts, ...Object.fromEntries(named.map((name) => [name, "true"])) } };
    const commands = ["cd web && yarn run jest --ci"];
    expect(changedControls(file(old), file(now), { commands })).toEqual(
      ["lint", "vitest", "build", "jest"].map((name) => `scripts.${name}`),
    );
  });

  it("that is removed, or is no JSON any more, has all of them changed", () => {
    expect(changedControls(file(before), undefined)).toEqual(["the file"]);
    expect(changedControls(file(before), Buffer.from("{"))).toEqual(["the file"]);
    expect(changedControls(Buffer.from("{"), Buffer.from("{"))).toEqual([]);
  });

  describe("with programs of its own", () => {
    const cart = { ...before, name: "@shop/cart", scripts: { test: "node --test && kit check" } };

    it.each([
      ["called as the package is", { bin: { cart: "bin/cart.js" } }],
      ["called as the package is, since it names none", { bin: "bin/cart.js" }],
      ["called as one was before", { bin: { "cart-old": "bin/old.js" } }],
    ])("may have one that is %s", (_what, change) => {
      const old = { ...cart, bin: { "cart-old": "bin/cart-old.js" } };
      expect(changedControls(file(old), file({ ...old, ...change }))).toEqual([]);
    });

    it.each([
      ["what runs the checks", { bin: { node: "node.sh" } }, ["bin.node"]],
      ["anything else", { bin: { cart: "bin/cart.js", cat: "cat.sh" } }, ["bin.cat"]],
      ["that by a longer name", { bin: { "x/../node": "node.sh" } }, ["bin.x/../node"]],
      ["that by a new name", { name: "node", bin: "node.sh" }, ["bin.node"]],
      ["that in a list", { bin: ["node"] }, ['bin.["node"]']],
      ["all that lies in a folder", { directories: { bin: "bin" } }, ["directories"]],
    ])("may have none that is called as %s", (_what, change, controls) => {
      expect(changedControls(file(cart), file({ ...cart, ...change }))).toEqual(controls);
    });

    it("may have none that a script or a check calls, though it is called so itself", () => {
      for (const name of ["kit", "node", "vitest", "check-it"]) {
        const old = { ...cart, name };
        const around = { taken: new Set(["vitest"]), commands: ["check-it --all;true"] };
        expect(changedControls(file(old), file({ ...old, bin: "x.js" }), around)).toEqual([`bin.${name}`]);
      }
    });

    it("has none if it is new, unless there is no other package", () => {
      const kit = file({ name: "kit", bin: { node: "node.sh" }, directories: { bin: "bin", doc: "doc" } });
      expect(changedControls(undefined, kit)).toEqual(["bin.node", "directories.bin"]);
      expect(changedControls(undefined, kit, { isFirst: true })).toEqual([]);
    });
  });

  it("that is new and that nobody can read is all of them, and one that begins with a mark is read", () => {
    expect(changedControls(undefined, Buffer.from("{ // Bun reads this\n}"))).toEqual(["the file"]);
    const marked = Buffer.from(`\uFEFF${JSON.stringify({ name: "kit", bin: { node: "node.sh" } })}`);
    expect(changedControls(undefined, marked)).toEqual(["bin.node"]);
    expect(changedControls(file(before), Buffer.from(`\uFEFF${JSON.stringify(before)}`))).toEqual([]);
  });

  it("that is new may run nothing at install", () => {
    expect(changedControls(undefined, file(before))).toEqual([]);
    expect(changedControls(undefined, file({ scripts: { postinstall: "x" } }))).toEqual([
      "scripts.postinstall",
    ]);
  });
});

function file(content: unknown): Buffer {
  return Buffer.from(JSON.stringify(content));
}
