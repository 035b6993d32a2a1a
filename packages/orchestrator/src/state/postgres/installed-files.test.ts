import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { installFiles, removeOtherVersions } from "./installed-files.ts";
import { type PackageFiles, packageFiles } from "./package-files.ts";

const folder = mkdtempSync(join(tmpdir(), "ot-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("a package whose install script was not run gets its library links", async () => {
  const below = mkdtempSync(join(folder, "below-"));
  const installed = await installFiles(smallPackage(), below, "copied");
  expect(readFileSync(join(installed, "lib", "libpq.so.5"), "utf8")).toBe("library");
  expect(readdirSync(join(installed, "lib"))).toEqual(["libpq.so.5", "libpq.so.5.18"]);
});

it("the real programs start from there without the package", async () => {
  const below = mkdtempSync(join(folder, "below-"));
  const real = packageFiles();
  const installed = await installFiles(real, below, "linked");
  const said = execFileSync(join(installed, "bin", "postgres"), ["--version"], { encoding: "utf8", env: {} });
  expect(said).toContain(`(PostgreSQL) ${real.major}.`);
});

it("copies can be read by every user whatever the package's modes are, and nothing is theirs to change", async () => {
  const installed = await installFiles(smallPackage(0o700), mkdtempSync(join(folder, "below-")), "copied");
  expect(statSync(join(installed, "bin", "postgres")).mode & 0o777).toBe(0o755);
  expect(statSync(join(installed, "lib", "libpq.so.5.18")).mode & 0o777).toBe(0o644);
  expect(statSync(installed).mode & 0o777).toBe(0o755);
});

it("linked files take no room and stay when the package goes", async () => {
  const from = smallPackage();
  const below = mkdtempSync(join(folder, "below-"));
  const source = statSync(join(from.folder, "bin", "postgres")).ino;
  const installed = await installFiles(from, below, "linked");
  expect(statSync(join(installed, "bin", "postgres")).ino).toBe(source);
  rmSync(from.folder, { recursive: true });
  expect(await installFiles(from, below, "linked")).toBe(installed);
  expect(readFileSync(join(installed, "bin", "postgres"), "utf8")).toBe("program");
});

it("what a killed process left is not taken for an installation, and replaced", async () => {
  const below = mkdtempSync(join(folder, "below-"));
  mkdirSync(join(below, ".unfinished", "bin"), { recursive: true });
  writeFileSync(join(below, ".unfinished", "bin", "half"), "");
  const installed = await installFiles(smallPackage(), below, "copied");
  expect(readdirSync(below)).toEqual(["18.4.0"]);
  expect(readdirSync(join(installed, "bin"))).toEqual(["postgres"]);
});

it("other versions are removed, and nothing else that lies there", async () => {
  const below = mkdtempSync(join(folder, "below-"));
  for (const name of ["17.2.0-beta.1", "18.4.0", "data", "unfinished-x"]) mkdirSync(join(below, name));
  await removeOtherVersions(below, "18.4.0");
  expect(readdirSync(below)).toEqual(["18.4.0", "data", "unfinished-x"]);
});

/** As npm leaves it with --ignore-scripts. */
function smallPackage(mode = 0o755): PackageFiles {
  const native = mkdtempSync(join(folder, "package-"));
  for (const name of ["bin", "lib", "share"]) mkdirSync(join(native, name));
  writeFileSync(join(native, "bin", "postgres"), "program", { mode });
  writeFileSync(join(native, "lib", "libpq.so.5.18"), "library", { mode: mode & 0o600 });
  writeFileSync(join(native, "lib", "libpq.a"), "for compilers");
  const libraryLinks = [{ name: "libpq.so.5", target: "libpq.so.5.18" }];
  return { folder: native, version: "18.4.0", major: 18, libraryLinks };
}
