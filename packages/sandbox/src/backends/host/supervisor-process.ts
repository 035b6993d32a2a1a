import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { supervisorConfigVariable } from "../../protocol/paths.ts";
import { startTimeOf } from "../../state/process-stat.ts";
import type { SupervisorConfig } from "../../supervisor/config.ts";
import { hostSandboxVariable, killMarked } from "../../supervisor/processes.ts";
import type { HostRecord } from "./host-record.ts";

/** A process of ours, recognised although the kernel uses its number again for another. */
export interface SupervisorProcess {
  pid: number;
  startTime: string;
}

/** Starts a supervisor that outlives us: a session of its own, its output in a file. */
export function startSupervisor(
  id: string,
  file: string,
  config: SupervisorConfig,
  { folder, env }: { folder: string; env: NodeJS.ProcessEnv },
): SupervisorProcess {
  const log = openSync(join(folder, "supervisor.log"), "a", 0o600);
  try {
    const child = spawn(process.execPath, [file, "serve"], {
      cwd: config.workDir,
      env: { ...env, [supervisorConfigVariable]: JSON.stringify(config), [hostSandboxVariable]: id },
      stdio: ["ignore", log, log],
      detached: true,
    });
    child.unref();
    const pid = child.pid ?? 0;
    return { pid, startTime: startTimeOf(pid) ?? "" };
  } finally {
    closeSync(log);
  }
}

export function isAlive(supervisor: SupervisorProcess): boolean {
  return supervisor.startTime !== "" && startTimeOf(supervisor.pid) === supervisor.startTime;
}

export function supervisorConfig(record: HostRecord, carrierDir: string): SupervisorConfig {
  return {
    isolation: "none",
    agentUid: process.getuid?.() ?? 0,
    agentGid: process.getgid?.() ?? 0,
    home: homedir(),
    workDir: record.workspaces[0]?.path ?? homedir(),
    carrierDir,
    controlSocket: null,
    prepare: null,
    env: record.env,
  };
}

/** The kernel takes moments to end a process that was killed; one for which it takes longer is not waited for. */
const goneRounds = 500;
const goneEveryMs = 2;

/**
 * Ends the supervisor and every command it ever started. One that is ending has no environment any more, by which it would
 * be found, but still its number: it is gone when this returns.
 */
export async function endAll({ id, supervisor }: Pick<HostRecord, "id" | "supervisor">): Promise<void> {
  await killMarked({ kind: "environment", variable: hostSandboxVariable, value: id });
  for (let round = 0; supervisor && isAlive(supervisor) && round < goneRounds; round += 1)
    await sleep(goneEveryMs);
}
