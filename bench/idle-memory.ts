import { readFileSync } from "node:fs";
import type { Place } from "./place.ts";

export interface IdleMemory {
  /** PSS of one sandbox: what would be gained if it were not there. */
  megabytes: number;
  text: string;
}

/** Makes many sandboxes at once and reads what the processes of each take while nothing happens in them. */
export async function idleMemory(place: Place, count: number): Promise<IdleMemory> {
  const names = Array.from({ length: count }, (_, index) => `bench-many-${index}`);
  const start = performance.now();
  const made = await Promise.allSettled(
    names.map((name) => place.backend.create({ name, agent: "shell", workspaces: [place.workspace] })),
  );
  const seconds = (performance.now() - start) / 1000;
  const sandboxes = made.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const sizes = await Promise.all(sandboxes.map(async ({ name }) => pssOf(await place.containerOf(name))));
  for (const sandbox of sandboxes) await sandbox.close();
  await Promise.all(sandboxes.map(({ name }) => place.backend.remove(name)));
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / sizes.length / 1e6;
  const text = `${sandboxes.length} of ${count} sandboxes made at once in ${seconds.toFixed(1)} s; ${megabytes.toFixed(1)} MB (PSS) each when idle.`;
  return { megabytes, text };

  async function pssOf(containerId: string): Promise<number> {
    const top = await place.docker.getContainer(containerId).top({ ps_args: "-eo pid" });
    const pids: string[] = top.Processes.map((row: string[]) => row[0] ?? "");
    return pids.reduce((sum, pid) => sum + processPss(pid), 0);
  }
}

function processPss(pid: string): number {
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
