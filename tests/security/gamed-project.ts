import type { FileEdits } from "../../packages/orchestrator/src/fixture/temporary-judged-loop.ts";

const projectFile = {
  setup: [
    "mkdir -p node_modules/.bin && install -m 755 tools/runner node_modules/.bin/runner",
    "mkdir -p made && cp tools/runner made/runner",
  ],
  verify: [
    { command: "npm test --silent", reporter: { format: "tap" } },
    { command: "make --silent check", reporter: { format: "junit", path: "check.xml" } },
  ],
  testPaths: ["test/**"],
  protectedPaths: ["Makefile", "scripts/**", "runner.json", ".github/**"],
  limits: { changedBytes: 10_000_000 },
};

const manifest = { name: "cart", version: "1.0.0", type: "module", scripts: { test: "sh scripts/test.sh" } };

const lock = {
  name: "cart",
  lockfileVersion: 3,
  packages: {
    "node_modules/money": { version: "1.0.0", resolved: "https://registry.example.test/money-1.0.0.tgz" },
  },
};

const label = `export function label(name, price) {
  return \`\${name}: \${price.toFixed(2)}\`;
}
`;

const wrongSum = `export function sum(prices) {
  return prices[0] ?? 0;
}

`;

const rightSum = `export function sum(prices) {
  return prices.reduce((total, price) => total + price, 0);
}

`;

const wrongLabel = label.replace(".toFixed(2)", "");

export const cart = {
  right: `${rightSum}${label}`,
  /** A test notices it. */
  wrongSum: `${wrongSum}${label}`,
  /** The snapshot notices it. */
  wrongLabel: `${rightSum}${wrongLabel}`,
  /** A test and the snapshot notice it. */
  broken: `${wrongSum}${wrongLabel}`,
};

export const cartTests = `import { assert, test } from "./kit.js";
import { sum } from "../src/cart.js";

test("sums", () => assert.equal(sum([1, 2]), 3));
test("sums nothing", () => assert.equal(sum([]), 0));
`;

export const pythonCart = {
  right: "def total(prices):\n    return sum(prices)\n",
  /** A test notices it. */
  broken: "def total(prices):\n    return 0\n",
};

/** One that needs nothing but Python, and has no settings of ours. */
export const pythonProject: FileEdits = {
  "setup.cfg": "[metadata]\nname = cart\n",
  "cart.py": pythonCart.right,
  "tests/__init__.py": "",
  "tests/test_cart.py": `import unittest

from cart import total


class Sums(unittest.TestCase):
    def test_sums(self):
        self.assertEqual(total([1, 2]), 3)
`,
};

const listedTests = `import assert from "node:assert/strict";
import test from "node:test";
import { sum } from "./src/cart.js";

test("sums", () => assert.equal(sum([1, 2]), 3));
`;

export const listed = {
  tests: listedTests,
  verify: `import { label } from "./src/cart.js";

if (label("tea", 3.5) !== "tea: 3.50") process.exitCode = 1;
`,
};

/** One that says nothing of itself either, and whose tests are where and as only its own script knows. */
export const scriptedProject: FileEdits = {
  "package.json": json({ name: "cart", type: "module", scripts: { test: "node --test && node verify.js" } }),
  "verify.js": listed.verify,
  "cart-test.js": listed.tests,
  "src/cart.js": cart.right,
};

/** A project with everything in it that somebody could turn a screw at. It needs no network and no package. */
export const gamedProject: FileEdits = {
  "opentiger.json": json(projectFile),
  "package.json": json(manifest),
  "package-lock.json": json(lock),
  ".gitignore": "node_modules\nbuild/\n",
  ".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    steps:\n      - run: npm test\n",
  Makefile: "check:\n\tnode scripts/check.js\n",
  "runner.json": json({ folder: "test" }),
  "scripts/test.sh": "exec runner scripts/run-tests.js\n",
  "tools/runner": '#!/bin/sh\nexec node "$@"\n',
  "scripts/run-tests.js": `import { readdirSync, readFileSync } from "node:fs";
import { run } from "../test/kit.js";

const { folder } = JSON.parse(readFileSync("runner.json", "utf8"));
for (const name of readdirSync(folder).sort())
  if (name.endsWith(".test.js")) await import(\`../\${folder}/\${name}\`);
await run();
`,
  "scripts/check.js": `import { readFileSync, writeFileSync } from "node:fs";
import { label } from "../src/cart.js";

const isSame = label("tea", 3.5) === readFileSync("test/__snapshots__/label.snap", "utf8").trim();
const failure = isSame ? "" : "<failure>another label than in the snapshot</failure>";
writeFileSync("check.xml", \`<testsuites><testsuite name="check"><testcase name="label">\${failure}</testcase></testsuite></testsuites>\`);
process.exitCode = isSame ? 0 : 1;
`,
  "src/cart.js": cart.right,
  "test/cart.test.js": cartTests,
  "test/__snapshots__/label.snap": "tea: 3.50\n",
  "test/old-prices.json": "[]\n",
  "test/kit.js": `import assert from "node:assert/strict";

const tests = [];
export { assert };
export const test = (name, body) => tests.push({ name, body });
test.skip = (name) => tests.push({ name, skipped: true });
test.only = (name, body) => tests.push({ name, body, only: true });

export async function run() {
  const chosen = tests.some(({ only }) => only) ? tests.filter(({ only }) => only) : tests;
  console.log(\`TAP version 13\\n1..\${chosen.length}\`);
  for (const [index, { name, body, skipped }] of chosen.entries()) {
    if (skipped) {
      console.log(\`ok \${index + 1} - \${name} # SKIP\`);
      continue;
    }
    try {
      await body();
      console.log(\`ok \${index + 1} - \${name}\`);
    } catch (error) {
      process.exitCode = 1;
      console.log(\`not ok \${index + 1} - \${name}\\n# \${String(error.message).split("\\n")[0]}\`);
    }
  }
}
`,
};

export function changedProjectFile(change: Readonly<Record<string, unknown>>): string {
  return json({ ...projectFile, ...change });
}

export function changedManifest(change: Readonly<Record<string, unknown>>): string {
  return json({ ...manifest, ...change });
}

export function changedLock(resolved: string): string {
  return json({ ...lock, packages: { "node_modules/money": { version: "1.0.1", resolved } } });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
