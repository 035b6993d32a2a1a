import type { ExecOptions, Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { collect, exitCode } from "../../packages/sandbox/src/session/collect.ts";

/** How a command ended and what it said. */
export interface Said {
  code: number;
  reason: string;
  stdout: string;
  stderr: string;
}

/** Somewhere an agent's commands run: a sandbox of ours, or one of the places that an attack works against. */
export interface Place {
  run(command: readonly string[]): Promise<Said>;
}

export function placeOf(sandbox: Sandbox, options: ExecOptions = {}): Place {
  return { run: (command) => runIn(sandbox, command, options) };
}

export async function runIn(
  sandbox: Sandbox,
  command: readonly string[],
  options: ExecOptions = {},
): Promise<Said> {
  const { exit, stdout, stderr } = await collect(await sandbox.exec(command, options));
  return { code: exitCode(exit), reason: exit.reason, stdout: stdout.toString(), stderr: stderr.toString() };
}
