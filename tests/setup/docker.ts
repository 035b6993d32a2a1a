import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The image every place in these tests is made of. */
export const workerImage = process.env["SANDBOX_DOCKER_IMAGE"] || "opentiger/worker:latest";

/** The docker command on the engine under test; what it printed, or an error with what it complained of. */
export async function docker(...args: readonly string[]): Promise<string> {
  const { stdout } = await run("docker", [...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

export async function isRunning(container: string): Promise<boolean> {
  return (await docker("inspect", "--format", "{{.State.Running}}", container)) === "true";
}

export async function removeContainer(container: string): Promise<void> {
  await docker("rm", "--force", "--volumes", container);
}
