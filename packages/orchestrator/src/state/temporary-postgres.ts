import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The state folder of the PostgreSQL that the tests of a project share; absent where each has its own. */
    sharedPostgres?: string;
  }
}

/** Before the tests of a project: a folder for the PostgreSQL that they share. After them nothing is left of it. */
export default function setup({ provide }: TestProject): () => Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "ot-shared-"));
  provide("sharedPostgres", home);
  return async () => {
    if (readdirSync(home).length > 0) {
      const { EmbeddedPostgres } = await import("./postgres/embedded-postgres.ts");
      await new EmbeddedPostgres({ OPENTIGER_HOME: home }).remove();
    }
    rmSync(home, { recursive: true, force: true });
  };
}
