import { describe, expect, it } from "vitest";
import { changedFile } from "../fixture/changed-file.ts";
import { pathMatcher } from "../git/path-matcher.ts";
import type { TreeEntry } from "../git/tree-entry.ts";
import type { TaskRow } from "../state/tasks.ts";
import type { Protected } from "./control-finder.ts";
import { changedRules } from "./controls.ts";

const project: Protected = {
  testPaths: ["test/**"],
  protectedPaths: ["**/package.json"],
  sources: {},
  verify: [],
};

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
    if (content === undefined) return changedFile(path, { status: "deleted" });
    return changedFile(path, { status: base[path] === undefined ? "added" : "modified" });
  });
  const task: Pick<TaskRow, "role" | "mayChange"> = { role: "worker", mayChange: [...mayChange] };
  const asked = { changes, from: "a", to: "b", project, task };
  const paths = Object.keys(base);
  const listFiles = async (_commit: string, globs: readonly string[] = []): Promise<TreeEntry[]> =>
    paths.filter(pathMatcher(globs)).map((path) => ({ path, mode: "100644", oid: path, size: 0 }));
  const contents = async (oids: readonly string[]): Promise<Map<string, Buffer>> =>
    new Map(oids.map((oid) => [oid, Buffer.from(base[oid] ?? "")]));
  return changedRules({ readFile, listFiles, contents, ignored: async () => [] }, asked);
}
