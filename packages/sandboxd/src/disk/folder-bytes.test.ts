import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folderBytes } from "./folder-bytes.ts";

test("a folder's size grows with what is written below it, and not with what a link leads to", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ot-bytes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const workspace = join(folder, "-workspace");
  mkdirSync(join(workspace, "below"), { recursive: true });
  const before = (await folderBytes(workspace)) ?? 0;
  writeFileSync(join(folder, "elsewhere"), Buffer.alloc(5_000_000, 1));
  symlinkSync(join(folder, "elsewhere"), join(workspace, "link"));
  writeFileSync(join(workspace, "below", "file"), Buffer.alloc(2_000_000, 1));
  const grown = ((await folderBytes(workspace)) ?? 0) - before;
  expect(grown).toBeGreaterThan(1_900_000);
  expect(grown).toBeLessThan(3_000_000);
});

test("of a folder that is gone it is not known", async () => {
  expect(await folderBytes("/nowhere/at/all")).toBeUndefined();
});
