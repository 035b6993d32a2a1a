import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { keepJson, keepText } from "./artifact-file.ts";

const most = 64 * 1024;

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "ot-artifact-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "below", "file");
}

it("a text that is too long ends with a word about it, within the bound", async () => {
  const path = file();
  const bytes = await keepText(path, "é".repeat(most), most);
  const text = readFileSync(path, "utf8");
  expect(text).toMatch(/^é+\n\(the rest was too much to be kept\)\n$/);
  expect(statSync(path)).toMatchObject({ size: bytes, mode: 0o100600 });
  expect(bytes).toBeLessThanOrEqual(most);
});

it.each([
  ["long texts", { judgement: "fail", points: [{ text: "é\n".repeat(most) }, { text: '"'.repeat(most) }] }],
  [
    "many texts",
    { judgement: "fail", points: Array.from({ length: 5_000 }, () => ({ text: "x".repeat(90) })) },
  ],
  ["many numbers", { judgement: "fail", points: Array.from({ length: 90_000 }, (_, at) => at) }],
])("what is kept of %s is JSON, within the bound, with as much as fits", async (_what, value) => {
  const path = file();
  const bytes = await keepJson(path, value, most);
  const kept = JSON.parse(readFileSync(path, "utf8"));
  expect(kept.judgement).toBe("fail");
  expect(kept.points.length).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(most);
  expect(bytes).toBeGreaterThan(most / 8);
});

it("what fits is kept as it is", async () => {
  const path = file();
  await keepJson(path, { points: ["one"], none: undefined }, most);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ points: ["one"] });
});
