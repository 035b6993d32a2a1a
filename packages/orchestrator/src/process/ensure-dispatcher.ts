import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { opentigerVersion } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import { boundLog, logSince, logSize } from "../state/postgres/log-file.ts";
import { DispatcherClient, type DispatcherStatus } from "./dispatcher-client.ts";
import type { DispatcherPaths } from "./dispatcher-paths.ts";

export interface EnsureDispatcherOptions {
  /** Another than the one that claims everything, such as `worker-1`. */
  name?: string;
  signal?: AbortSignal;
}

/** A database that recovers from a crash makes it wait; a loaded machine takes seconds to start node. */
const startTimeoutMs = 60_000;
const lookMs = 25;

/**
 * Returns when a dispatcher of this instance runs: the one that is there, else a new one, detached, which goes on when
 * we end and ends by itself when there is nothing to do. One of another version is replaced; its agents go on.
 */
export async function ensureDispatcher(
  env: NodeJS.ProcessEnv = process.env,
  { name, signal }: EnsureDispatcherOptions = {},
): Promise<DispatcherStatus> {
  const client = new DispatcherClient(env, name);
  const end = performance.now() + startTimeoutMs;
  let before = 0;
  let child: ChildProcess | undefined;
  while (performance.now() < end) {
    signal?.throwIfAborted();
    const found = await client.status();
    if (found?.ready && found.version === opentigerVersion) return found;
    if (found && found.version !== opentigerVersion) await client.stop();
    else if (!found) {
      if (child && child.exitCode !== null && child.exitCode !== 0) throw didNotStart(client.paths, before);
      if (!child || child.exitCode === 0) {
        before = logSize(client.paths.log);
        child = startDispatcher(env, client.paths, name);
      }
    }
    await sleep(lookMs);
  }
  throw didNotStart(client.paths, before);
}

/** A process of its own, in a session of its own, that writes to a file: nothing of its starter's ends it. */
export function startDispatcher(env: NodeJS.ProcessEnv, paths: DispatcherPaths, name?: string): ChildProcess {
  mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
  boundLog(paths.log);
  const log = openSync(paths.log, "a", 0o600);
  try {
    const words = [dispatcherBundle(), ...(name === undefined ? [] : ["--name", name])];
    const child = spawn(process.execPath, words, {
      cwd: "/",
      env,
      stdio: ["ignore", log, log],
      detached: true,
    });
    // It is missed by whoever waits for its answer.
    child.once("error", () => {});
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** Beside the bundled command line, or in this package's own build. */
function dispatcherBundle(): string {
  const places = ["./dispatcher.js", "../../dist/dispatcher.js", "../../orchestrator/dist/dispatcher.js"];
  for (const place of places) {
    const path = fileURLToPath(new URL(place, import.meta.url));
    if (existsSync(path)) return path;
  }
  throw new OrchestratorError("internal", "the dispatcher's file is missing: openTiger was not built", {
    remedy: "npm run build",
  });
}

function didNotStart({ log }: DispatcherPaths, before: number): OrchestratorError {
  const said = logSince(log, before);
  return new OrchestratorError("internal", `the dispatcher did not start${said === "" ? "" : `: ${said}`}`, {
    remedy: `see ${log}`,
  });
}
