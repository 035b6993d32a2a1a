import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedPostgres } from "@opentiger/orchestrator";

/** A state folder of its own, with the embedded database where one is opened in it. */
export function temporaryState(more: NodeJS.ProcessEnv = {}): {
  home: string;
  env: NodeJS.ProcessEnv;
  remove(): Promise<void>;
} {
  const home = mkdtempSync(join(tmpdir(), "ot-bench-"));
  const env = { ...process.env, ...more, OPENTIGER_HOME: home };
  const remove = async (): Promise<void> => {
    await new EmbeddedPostgres(env).remove();
    rmSync(home, { recursive: true, force: true });
  };
  return { home, env, remove };
}
