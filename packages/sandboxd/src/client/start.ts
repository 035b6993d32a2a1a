import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SandboxError } from "@opentiger/sandbox";
import { diskFloor } from "../disk/floor.ts";
import type { SandboxdPaths } from "../paths.ts";

/** Kept twice: the present one and the one before. */
const maxLogBytes = 5 * 1024 * 1024;

/** Starts the daemon as a process of its own, which goes on when its starter ends. */
export function startDaemon(paths: SandboxdPaths, env: NodeJS.ProcessEnv): void {
  // What it would refuse is said here, where somebody reads it.
  diskFloor(env);
  mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
  if ((statSync(paths.log, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) {
    renameSync(paths.log, `${paths.log}.1`);
  }
  const log = openSync(paths.log, "a", 0o600);
  try {
    const child = spawn(process.execPath, [daemonBundle()], {
      cwd: "/",
      // Every name that the system resolves blocks a thread; the usual four are few.
      env: { UV_THREADPOOL_SIZE: "16", ...env },
      stdio: ["ignore", log, log],
      detached: true,
    });
    // It is missed by whoever waits for the socket.
    child.once("error", () => {});
    child.unref();
  } finally {
    closeSync(log);
  }
}

/** Beside the bundled command line, or in this package's own build. */
function daemonBundle(): string {
  const places = ["./sandboxd.js", "../../dist/sandboxd.js", "../../sandboxd/dist/sandboxd.js"];
  for (const place of places) {
    const path = fileURLToPath(new URL(place, import.meta.url));
    if (existsSync(path)) return path;
  }
  throw new SandboxError("internal", "sandboxd's file is missing: openTiger was not built", {
    remedy: "npm run build",
  });
}
