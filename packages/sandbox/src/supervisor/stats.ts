import { readFileSync } from "node:fs";
import type { SandboxStats } from "@opentiger/schema";
import { processIds } from "./processes.ts";

const pageBytes = 4096;

/** What the kernel's accounting of this sandbox says, under either version of cgroups, and its processes. */
export function readStats(): SandboxStats {
  return {
    memoryBytes: number("memory.current", "memory/memory.usage_in_bytes") ?? 0,
    memoryLimitBytes: number("memory.max", "memory/memory.limit_in_bytes"),
    cpuUsec: cpuUsec(),
    pids: number("pids.current", "pids/pids.current") ?? processIds().length,
    pidsLimit: number("pids.max", "pids/pids.max"),
    processes: processIds().flatMap(describe),
  };
}

const oomFiles = ["/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"];
/** Looked for once: every command asks. */
let oomFile: string | undefined;

/** How many processes of this sandbox the kernel has killed for memory. */
export function oomKillCount(): number {
  oomFile ??= oomFiles.find((path) => read(path) !== "") ?? "/dev/null";
  const text = read(oomFile);
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
}

function cpuUsec(): number {
  const unified = /^usage_usec (\d+)$/m.exec(read("/sys/fs/cgroup/cpu.stat"))?.[1];
  if (unified) return Number(unified);
  const nanoseconds = number("", "cpuacct/cpuacct.usage") ?? number("", "cpu,cpuacct/cpuacct.usage");
  return Math.round((nanoseconds ?? 0) / 1000);
}

/** null where there is no such file, and where it says that there is no limit. */
function number(unified: string, legacy: string): number | null {
  const text = (unified && read(`/sys/fs/cgroup/${unified}`)) || read(`/sys/fs/cgroup/${legacy}`);
  const value = Number.parseInt(text, 10);
  return Number.isNaN(value) || value > Number.MAX_SAFE_INTEGER ? null : value;
}

function describe(pid: number): SandboxStats["processes"] {
  const stat = read(`/proc/${pid}/stat`);
  const uid = Number(/^Uid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
  const end = stat.lastIndexOf(")");
  if (end < 0) return [];
  const fields = stat.slice(end + 2).split(" ");
  const name = stat.slice(stat.indexOf("(") + 1, end);
  const command = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim() || `[${name}]`;
  return [
    {
      pid,
      ppid: Number(fields[1]),
      uid,
      state: fields[0] ?? "?",
      rssBytes: Number(fields[21]) * pageBytes,
      command: command.slice(0, 400),
    },
  ];
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
