import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { supervisorConfigVariable } from "../../protocol/paths.ts";
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

/** Ends the supervisor and every command it ever started. */
export async function endAll({ id }: Pick<HostRecord, "id">): Promise<void> {
  await killMarked({ kind: "environment", variable: hostSandboxVariable, value: id });
}

/** In clock ticks since boot, the kernel's own words; undefined when there is no such process. */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
