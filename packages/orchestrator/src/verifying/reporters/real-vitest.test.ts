import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readReport } from "../report.ts";
import { fullName } from "../test-name.ts";

const modules = fileURLToPath(new URL("../../../../../node_modules", import.meta.url));
let folder: string;

/** A project with a test of each kind, and a file that does not load. */
const files = {
  "sums.test.js": `import { describe, expect, it } from "vitest";
describe("sums", () => {
  it("adds", () => expect(1 + 1).toBe(2));
  it("is wrong", () => expect(1 + 1).toBe(3));
  it.skip("waits", () => {});
  it.todo("comes later");
});
`,
  "broken.test.js": `import "./not-there.js";\n`,
  "package.json": `{ "type": "module", "private": true }\n`,
};

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "ot-vitest-")));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  symlinkSync(modules, join(folder, "node_modules"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ["json", "vitest-json"],
  ["junit", "junit"],
] as const)("what the real vitest writes with --reporter=%s is read as it is", (reporter, format) => {
  const options = ["run", "--no-cache", `--root=${folder}`, `--reporter=${reporter}`, "--outputFile=report"];
  const { status, stderr } = spawnSync(process.execPath, [join(modules, "vitest/vitest.mjs"), ...options], {
    cwd: folder,
    // Neither this run's own settings nor a config of ours.
    env: { PATH: process.env["PATH"], HOME: folder, CI: "true" },
    encoding: "utf8",
  });
  expect(status, stderr).toBe(1);
  const report = readReport(format, readFileSync(join(folder, "report")), { cwd: folder, redact: String });
  if (!report.readable) throw new Error(report.why);
  const found = new Map(report.tests.map((test) => [fullName(test), test]));
  const named = (part: string) => [...found].filter(([name]) => name.includes(part)).map(([, test]) => test);
  expect(named("adds")).toMatchObject([{ result: "passed", output: "" }]);
  expect(named("is wrong")).toMatchObject([
    { result: "failed", output: expect.stringMatching(/expected 2/) },
  ]);
  expect(named("waits")).toMatchObject([{ result: "skipped" }]);
  expect(named("broken.test.js")).toMatchObject([
    { result: "failed", output: expect.stringContaining("not-there") },
  ]);
  for (const [name] of found) expect(name).not.toContain(folder);
  expect(report.tests.filter(({ result }) => result === "passed")).toHaveLength(1);
});
