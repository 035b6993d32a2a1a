import { collect, exitCode, type Sandbox, SandboxError } from "@opentiger/sandbox";

/**
 * Begins every script that keeps a credential in a sandbox: in memory and for the agent alone, so that no image made
 * from the sandbox has it. Where /dev/shm is no memory, nothing is written.
 */
const inMemory = `set -eu; umask 077
[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || { echo "/dev/shm is not kept in memory there" >&2; exit 1; }
`;

/** Below it lies what a sandbox was handed. */
export const memoryFolder = "/dev/shm/opentiger";

/** Small files are written: an agent that makes them take longer is not waited for. */
const timeoutMs = 30_000;

/** Runs a script of ours in a sandbox, as the agent. What is secret comes to it by stdin, never as an argument. */
export async function runInside(
  sandbox: Pick<Sandbox, "name" | "exec">,
  script: string,
  args: readonly string[],
  input = "",
): Promise<string> {
  const execution = await sandbox.exec(["sh", "-c", inMemory + script, "sh", ...args], {
    stdin: true,
    timeoutMs,
  });
  execution.stdin.end(input);
  const { exit, stdout, stderr } = await collect(execution);
  if (exitCode(exit) === 0) return stdout.toString("utf8");
  // The agent may have a say in it.
  const why = stderr
    .toString("utf8")
    .trim()
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, 300);
  throw new SandboxError("sandbox_broken", `a credential could not be put into ${sandbox.name}: ${why}`, {
    remedy: "use SANDBOX_CREDENTIALS=broker, which puts none inside",
  });
}
