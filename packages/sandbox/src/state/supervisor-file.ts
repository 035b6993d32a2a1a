import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SandboxError } from "../errors.ts";

/**
 * Puts a sandbox's own copy of the supervisor in place and returns its path. A running sandbox keeps the file it was
 * started with, whatever is built or installed meanwhile; one that is started again gets today's.
 */
export function placeSupervisor(stateFolder: string, id: string): string {
  const folder = join(stateFolder, "supervisor");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${id}.cjs`);
  const temporary = `${path}.${process.pid}.tmp`;
  copyFileSync(supervisorBundle(), temporary);
  chmodSync(temporary, 0o444);
  renameSync(temporary, path);
  return path;
}

export function removeSupervisor(stateFolder: string, id: string): void {
  rmSync(join(stateFolder, "supervisor", `${id}.cjs`), { force: true });
}

/** Beside the bundled command line, or in this package's own build. */
export function supervisorBundle(): string {
  const places = ["./supervisor.cjs", "../../dist/supervisor.cjs", "../../sandbox/dist/supervisor.cjs"];
  for (const place of places) {
    const path = fileURLToPath(new URL(place, import.meta.url));
    if (existsSync(path)) return path;
  }
  throw new SandboxError("internal", "the supervisor's file is missing: openTiger was not built", {
    remedy: "npm run build",
  });
}
