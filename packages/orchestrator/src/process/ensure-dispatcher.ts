import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { OrchestratorError } from "../errors.ts";
import { DispatcherClient, type DispatcherStatus } from "./dispatcher-client.ts";
import type { DispatcherPaths } from "./dispatcher-paths.ts";
import { ensureProcess } from "./ensure-process.ts";
import { startDetached } from "./start-detached.ts";

export interface EnsureDispatcherOptions {
  /** Another than the one that claims everything, such as `worker-1`. */
  name?: string;
  signal?: AbortSignal;
}

/**
 * Returns when a dispatcher of this instance runs: the one that is there, else a new one, detached, which goes on when
 * we end and ends by itself when there is nothing to do. One of another version is replaced; its agents go on.
 */
export async function ensureDispatcher(
  env: NodeJS.ProcessEnv = process.env,
  { name, signal }: EnsureDispatcherOptions = {},
): Promise<DispatcherStatus> {
  const client = new DispatcherClient(env, name);
  const { log } = client.paths;
  const { status } = await ensureProcess({
    client,
    log,
    start: () => startDispatcher(env, client.paths, name),
    complaint: (said) => didNotStart(said, log),
    signal,
  });
  return status;
}

/** A process of its own, in a session of its own, that writes to a file: nothing of its starter's ends it. */
export function startDispatcher(env: NodeJS.ProcessEnv, paths: DispatcherPaths, name?: string): ChildProcess {
  const words = name === undefined ? [] : ["--name", name];
  return startDetached({ bundle: dispatcherBundle(), words, env, log: paths.log });
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

function didNotStart(said: string, log: string): OrchestratorError {
  return new OrchestratorError("internal", `the dispatcher did not start${said === "" ? "" : `: ${said}`}`, {
    remedy: `see ${log}`,
  });
}
