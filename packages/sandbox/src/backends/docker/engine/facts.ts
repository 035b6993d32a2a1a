import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { release } from "node:os";
import { z } from "zod";
import type { Endpoint } from "./address.ts";

/** What of an engine decides how a sandbox is made on it. */
export interface EngineFacts {
  /** The same for as long as the engine keeps its data, and another for every other engine. */
  id: string;
  version: string;
  /** local: its containers see this machine's files and kernel. desktop: the files only. remote: neither. */
  location: "local" | "desktop" | "remote";
  rootless: boolean;
  usernsRemap: boolean;
  selinux: boolean;
  cgroupVersion: string;
  storageDriver: string;
  dataFolder: string;
  runtimes: readonly string[];
  cpus: number;
  memoryBytes: number;
  /** Which limits this engine can hold. */
  holds: { memory: boolean; cpus: boolean; pids: boolean };
  /** Whether it may lower the score by which the kernel chooses whom to kill, and hand out that right. */
  ruledOomScore: boolean;
}

const info = z.object({
  ID: z.string().default(""),
  ServerVersion: z.string().default(""),
  OperatingSystem: z.string().default(""),
  KernelVersion: z.string().default(""),
  CgroupVersion: z.string().default("1"),
  Driver: z.string().default(""),
  DockerRootDir: z.string().default(""),
  SecurityOptions: z.array(z.string()).nullish(),
  Runtimes: z.record(z.string(), z.unknown()).nullish(),
  NCPU: z.number().default(1),
  MemTotal: z.number().default(0),
  MemoryLimit: z.boolean().default(false),
  CpuCfsQuota: z.boolean().default(false),
  PidsLimit: z.boolean().default(false),
});

export function readFacts(answer: unknown, endpoint: Endpoint): EngineFacts {
  const found = info.parse(answer);
  const options = (found.SecurityOptions ?? []).map((option) => option.split(",")[0]);
  const location = locate(endpoint, found.OperatingSystem, found.KernelVersion);
  const rootless = options.includes("name=rootless");
  return {
    id: engineId(found.ID, found.DockerRootDir),
    version: found.ServerVersion,
    location,
    rootless,
    usernsRemap: options.includes("name=userns"),
    selinux: options.includes("name=selinux"),
    cgroupVersion: found.CgroupVersion,
    storageDriver: found.Driver,
    dataFolder: found.DockerRootDir,
    runtimes: Object.keys(found.Runtimes ?? {}),
    cpus: found.NCPU,
    memoryBytes: found.MemTotal,
    holds: { memory: found.MemoryLimit, cpus: found.CpuCfsQuota, pids: found.PidsLimit },
    ruledOomScore: !rootless && (location === "desktop" || (location === "local" && machineHasSysResource())),
  };
}

/** Engines before 24 share one ID on a machine, so the folder of their data belongs to it. */
function engineId(id: string, dataFolder: string): string {
  return createHash("sha256").update(`${id}\0${dataFolder}`).digest("hex").slice(0, 16);
}

/** A socket may lead into a virtual machine or through a tunnel: then the kernel is another one than ours. */
function locate(endpoint: Endpoint, system: string, kernel: string): EngineFacts["location"] {
  if (system.startsWith("Docker Desktop")) return "desktop";
  if (endpoint.kind !== "socket") return "remote";
  if (process.platform !== "linux") return "desktop";
  return kernel === release() ? "local" : "remote";
}

const sysResource = 1n << 24n;

/** Some virtual machines and containers have given the right up for good; an engine in them cannot start what asks for it. */
function machineHasSysResource(): boolean {
  try {
    const bounding = /^CapBnd:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/1/status", "utf8"))?.[1];
    return bounding !== undefined && (BigInt(`0x${bounding}`) & sysResource) !== 0n;
  } catch {
    return false;
  }
}
