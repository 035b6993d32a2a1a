import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { permissionsCheck } from "./permissions.ts";
import { Ward } from "./ward.ts";

it("does not offer to close a folder that everybody shares", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ot-shared-state-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o1777);
  const env = { HOME: folder, OPENTIGER_HOME: folder };
  const findings = await permissionsCheck.look(new Ward(env, new AbortController().signal));
  expect(findings).toMatchObject([{ status: "fail", remedy: expect.stringContaining("OPENTIGER_HOME") }]);
  expect(findings[0]?.fix).toBeUndefined();
  expect(statSync(folder).mode & 0o7777).toBe(0o1777);
});
