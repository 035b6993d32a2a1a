import { setTimeout as sleep } from "node:timers/promises";
import type { ErrorCode } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import type { Backend, Sandbox } from "../sandbox.ts";
import { collect, exitCode } from "../session/collect.ts";
import { duringHostRun } from "./host-run.ts";
import { loopBackend } from "./loop-backend.ts";
import { loopCredentials } from "./loop-surroundings.ts";
import { type LoopTool, loopSandboxName, loopTools } from "./loop-tool.ts";

/** Makes the loop's sandbox for a tool and returns its name. Asking again for one that is there returns that one. */
export async function createLoopSandbox(loopId: string, tool: LoopTool, workDir: string): Promise<string> {
  const name = loopSandboxName(loopId, tool);
  const backend = await loopBackend();
  const sandbox = await createOrOpen(backend, name, tool, workDir);
  try {
    await loopCredentials().prepare(sandbox, tool);
  } finally {
    await sandbox.close();
  }
  return name;
}

/** Runs a command in a sandbox made before. `timeout` is in milliseconds; when it is up the command is killed. */
export async function execInSandbox(
  name: string,
  command: string[],
  options: { env?: Record<string, string>; workDir?: string; timeout?: number } = {},
): Promise<{ exitCode: number; output: string }> {
  const sandbox = await (await loopBackend()).open(name);
  const run = async (given: Record<string, string>) => {
    const env = await loopCredentials().environment(sandbox, given);
    const execution = await sandbox.exec(command, {
      env,
      ...(options.workDir ? { cwd: options.workDir } : {}),
      ...(options.timeout ? { timeoutMs: options.timeout } : {}),
    });
    const { exit, output } = await collect(execution);
    return { exitCode: exitCode(exit), output: output.toString("utf8") };
  };
  try {
    const tool = loopTools.find((known) => known === sandbox.agent);
    if (sandbox.backend !== "host" || !tool) return await run({ ...options.env });
    return await duringHostRun({ name, tool }, ({ env }) => run({ ...env, ...options.env }));
  } finally {
    await sandbox.close();
  }
}

/** Removes the sandboxes of a loop, for every tool. None left is no error. */
export async function destroyLoopSandbox(loopId: string): Promise<void> {
  const backend = await loopBackend();
  for (const tool of loopTools) {
    try {
      await backend.remove(loopSandboxName(loopId, tool), { force: true });
    } catch (error) {
      if (!(error instanceof SandboxError && error.code === "not_found")) throw error;
    }
  }
}

async function createOrOpen(
  backend: Backend,
  name: string,
  tool: LoopTool,
  workDir: string,
): Promise<Sandbox> {
  try {
    const workspaces = [{ path: workDir, readOnly: false }];
    const logins = backend.kind === "host" ? {} : (loopCredentials().creation?.() ?? {});
    return await backend.create({ name, agent: tool, workspaces, ...logins });
  } catch (error) {
    if (!(error instanceof SandboxError && error.code === "already_exists")) throw error;
    return openWhenMade(backend, name);
  }
}

const unusable: readonly ErrorCode[] = ["not_found", "sandbox_broken", "sandbox_unfinished"];

/** Another process may be making it at this moment: it is given a little time to finish. */
async function openWhenMade(backend: Backend, name: string): Promise<Sandbox> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await backend.open(name);
    } catch (error) {
      const coming = error instanceof SandboxError && unusable.includes(error.code);
      if (!coming || tries >= 20) throw error;
      await sleep(250);
    }
  }
}
