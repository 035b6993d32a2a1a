import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { exitCode, hostSandboxVariable, type Sandbox, SandboxError } from "@opentiger/sandbox";
import type { Surroundings } from "../program/surroundings.ts";
import { onInterruption } from "./interruption.ts";

/** Whether a command of this sandbox is to have the very terminal at which we sit: on the host there is no other. */
export function sharesTerminal(
  { backend }: Pick<Sandbox, "backend">,
  { stdin, stdout }: Pick<Surroundings, "stdin" | "stdout">,
): boolean {
  return backend === "host" && stdin.isTTY === true && stdout.isTTY === true;
}

export interface HostCommand {
  cwd?: string | undefined;
  /** On top of the user's own variables. */
  env?: Readonly<Record<string, string>>;
  stdin: "inherit" | "ignore";
}

/**
 * Runs a command at our own terminal, in the workspace of a host sandbox, until it ends. It belongs to the sandbox like
 * any other command there: `stop` and `rm` end it.
 */
export function runAtTerminal(
  { id, workspaces }: Pick<Sandbox, "id" | "workspaces">,
  [program = "", ...args]: readonly string[],
  own: NodeJS.ProcessEnv,
  { cwd, env, stdin }: HostCommand,
): Promise<number> {
  const folder = resolve(workspaces[0]?.path ?? "/", cwd ?? "");
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...own, ...env, [hostSandboxVariable]: id },
    stdio: [stdin, "inherit", "inherit"],
  });
  const stopListening = onInterruption(
    {
      // Ctrl-C and Ctrl-\ are keys of the terminal, which the command has already got.
      signalled: (signal) => void (signal === "SIGINT" || signal === "SIGQUIT" || child.kill(signal)),
      abandoned: () => void child.kill("SIGHUP"),
    },
    own,
  );
  return new Promise<number>((done, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => reject(notStarted(program, folder, error)));
    child.once("close", (code, signal) => done(exitCode({ code, signal, reason: "exited" })));
  }).finally(stopListening);
}

function notStarted(program: string, folder: string, cause: NodeJS.ErrnoException): SandboxError {
  if (!existsSync(folder))
    return new SandboxError("workspace_missing", `${folder} does not exist`, { cause });
  const code = cause.code === "ENOENT" ? "command_not_found" : "command_not_executable";
  return new SandboxError(code, `${program} cannot be started on this machine (${cause.code})`, { cause });
}
