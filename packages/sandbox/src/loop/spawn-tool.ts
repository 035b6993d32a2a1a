import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { duplexPair } from "node:stream";
import { isDockerAvailable } from "../backends/docker/engine/available.ts";
import { SandboxError } from "../errors.ts";
import { collect, exitCode } from "../session/collect.ts";
import { openExecution } from "../session/execution.ts";
import type { SupervisorConfig } from "../supervisor/config.ts";
import { serveExecStream } from "../supervisor/exec-stream.ts";
import { ExecTable } from "../supervisor/exec-table.ts";
import { Launcher } from "../supervisor/launch.ts";
import { duringHostRun } from "./host-run.ts";
import { hostModeForced, loopBackend } from "./loop-backend.ts";
import { execInSandbox } from "./loop-sandbox.ts";
import { type LoopTool, loopSandboxName } from "./loop-tool.ts";

export interface SpawnToolOptions {
  loopId: string;
  tool: LoopTool;
  command: string[];
  workDir: string;
  env?: Record<string, string>;
  /** In milliseconds. */
  timeout?: number;
  /** false: fail rather than run on the host. Default true, with a warning each time. */
  allowHost?: boolean;
  /** Told why the host is used. Default: a line on stderr. */
  warn?: (message: string) => void;
}

export type SpawnedTool = { exitCode: number; output: string; where: "sandbox" | "host" };

/** Runs a tool in the loop's sandbox if that exists, else on the host: loudly, and only where that is allowed. */
export async function spawnTool(options: SpawnToolOptions): Promise<SpawnedTool> {
  const reason = await whyNotSandboxed(options);
  if (reason === undefined) {
    const name = loopSandboxName(options.loopId, options.tool);
    return { ...(await execInSandbox(name, options.command, execOptions(options))), where: "sandbox" };
  }
  if (options.allowHost === false) throw hostRefused(reason);
  return spawnToolHost(options, reason);
}

/** Runs the tool on the host, as the user, with nothing isolated; says so every time. */
export async function spawnToolHost(
  options: SpawnToolOptions,
  reason = "it was asked for",
): Promise<SpawnedTool> {
  const warn = options.warn ?? ((message) => void process.stderr.write(`warning: ${message}\n`));
  warn(`${options.tool} runs on the host, without isolation: ${reason}`);
  const name = loopSandboxName(options.loopId, options.tool);
  return duringHostRun({ name, tool: options.tool }, async (run) => {
    const launcher = new Launcher(hostConfig(options.workDir, run.folder));
    const [near, far] = duplexPair();
    serveExecStream(far, new ExecTable(launcher), launcher.ready);
    const { command, env, timeout } = options;
    const execution = await openExecution(near, {
      open: {
        id: randomUUID(),
        command,
        env: { ...run.env, ...env },
        ...(timeout ? { timeoutMs: timeout } : {}),
      },
    });
    const { exit, output } = await collect(execution);
    return { exitCode: exitCode(exit), output: output.toString("utf8"), where: "host" };
  });
}

async function whyNotSandboxed(options: SpawnToolOptions): Promise<string | undefined> {
  if (hostModeForced()) return "AGENT_LOOP_HOST=1 is set";
  if (!(await isDockerAvailable())) return "Docker is not available";
  const name = loopSandboxName(options.loopId, options.tool);
  const known = (await (await loopBackend()).list()).some((sandbox) => sandbox.own && sandbox.name === name);
  return known ? undefined : `there is no sandbox called ${name}`;
}

function execOptions(options: SpawnToolOptions) {
  const { env, workDir, timeout } = options;
  return { workDir, ...(env ? { env } : {}), ...(timeout ? { timeout } : {}) };
}

function hostConfig(workDir: string, folder: string): SupervisorConfig {
  return {
    isolation: "none",
    agentUid: process.getuid?.() ?? 0,
    agentGid: process.getgid?.() ?? 0,
    home: homedir(),
    workDir,
    carrierDir: folder,
    controlSocket: null,
    prepare: null,
  };
}

function hostRefused(reason: string): SandboxError {
  return new SandboxError(
    "unsupported",
    `the tool was not run: ${reason}, and running on the host is not allowed`,
    {
      remedy: "start Docker and create the loop's sandbox, or allow the host with `allowHost: true`",
    },
  );
}
