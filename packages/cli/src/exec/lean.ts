import {
  carrierOf,
  dialBack,
  type Execution,
  hasWayOut,
  openExecution,
  rewriteLoopback,
  SandboxError,
} from "@opentiger/sandbox/exec-client";
import type { ExecSpec } from "@opentiger/schema";
import { UsageError } from "../errors.ts";
import { parseExec } from "./options.ts";
import { relay } from "./relay.ts";
import { execRequest } from "./request.ts";

/** A supervisor that runs dials within milliseconds. For one that does not, the full program asks the engine. */
const dialTimeoutMs = 500;

/** What only the full program can do. */
const unusual = ["help", "tty", "json", "context", "privileged", "detach-keys"] as const;

/**
 * `exec` without the engine: straight to the supervisor, through the sandbox's own folder. Returns the status to
 * exit with, or undefined when nothing was started and the full program must do it, or say why it cannot.
 */
export async function leanExec(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number | undefined> {
  // In host mode the name is that of another kind of sandbox, which only the full program knows.
  if (env["AGENT_LOOP_HOST"] === "1") return undefined;
  // What an agent logs in with comes from the vault or the host's login, which only the full program knows.
  if (env["SANDBOX_CREDENTIALS"] === "inject" || env["SANDBOX_CREDENTIALS"] === "mount") return undefined;
  const request = usualRequest(words, env);
  const folder = request && carrierOf(request.sandbox, env);
  if (!request || !folder) return undefined;
  // A service of this machine has to be opened for the sandbox first.
  if (rewriteLoopback(request.spec.env ?? {}).hostPorts.length > 0) return undefined;
  if (!(await hasWayOut(folder))) return undefined;
  const socket = await dialBack(folder, "exec", { timeoutMs: dialTimeoutMs }).catch(() => undefined);
  if (!socket) return undefined;
  try {
    return await follow(await openExecution(socket, { open: request.spec }), request.spec, env);
  } catch (error) {
    return fail(error, request.sandbox, request.spec.id);
  }
}

function usualRequest(words: readonly string[], env: NodeJS.ProcessEnv) {
  try {
    const parsed = parseExec(words);
    if (unusual.some((name) => parsed.flags.has(name) || parsed.values.has(name))) return undefined;
    return execRequest(parsed, env);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

async function follow(execution: Execution, spec: ExecSpec, env: NodeJS.ProcessEnv): Promise<number> {
  if (!spec.detach) return relay(execution, { stdin: spec.stdin === true, env });
  execution.detach();
  return 0;
}

function fail(error: unknown, name: string, id: string): number {
  if (!(error instanceof SandboxError)) throw error;
  const remedy = error.code === "session_lost" ? attachRemedy(name, id) : error.remedy;
  process.stderr.write(`docker sandbox: ${error.message}\n${remedy ? `  → ${remedy}\n` : ""}`);
  return error.exitCode;
}

/** The command may well be running: this is how its output and its exit code are still had. */
export function attachRemedy(name: string, id: string): string {
  return `The command may still be running. Go on reading it: docker sandbox attach ${name} ${id}`;
}
