import { posix } from "node:path";
import { collect, type Sandbox } from "@opentiger/sandbox";
import type { Work } from "./work.ts";

/** Adding a large tree takes minutes; what takes longer hangs. */
export const patienceMs = 10 * 60_000;

const mostOutput = 256 * 1024;

export interface Said {
  code: number | null;
  stdout: string;
  /** The end of it, redacted by nobody yet. */
  stderr: string;
}

/** Runs a small script of ours in the run's sandbox, to its end. */
export async function sayInside(
  { signal }: Pick<Work, "signal">,
  sandbox: Sandbox,
  script: string,
  { words = [], env = {} }: { words?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
): Promise<Said> {
  const options = { cwd: workspaceOf(sandbox), env: { ...env }, timeoutMs: patienceMs, signal };
  const execution = await sandbox.exec(["sh", "-c", script, "sh", ...words], options);
  const { exit, stdout, stderr } = await collect(execution, mostOutput);
  signal.throwIfAborted();
  return { code: exit.code, stdout: stdout.toString("utf8"), stderr: stderr.toString("utf8").slice(-2_000) };
}

/** Where the repository is, as it is called inside. */
export function workspaceOf({ workspaces }: Pick<Sandbox, "workspaces">): string {
  return workspaces[0]?.path ?? "/";
}

/** In a sandbox outside the workspace; on the host an agent may write nowhere else. */
export function disputeFile(sandbox: Pick<Sandbox, "backend" | "workspaces">): string {
  const name = "opentiger-dispute.md";
  return sandbox.backend === "host" ? posix.join(workspaceOf(sandbox), name) : `/tmp/${name}`;
}
