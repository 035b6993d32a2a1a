import { statfs } from "node:fs/promises";
import type { State } from "@opentiger/sandbox";
import type { SandboxRecord } from "@opentiger/schema";
import { z } from "zod";
import type { Disk } from "../disk/disk-watch.ts";
import type { Engines } from "./engines.ts";

const inspected = z.object({
  State: z.object({ Running: z.boolean(), Paused: z.boolean() }),
  SizeRw: z.number().default(0),
});

/**
 * The disk on which the engines of our sandboxes keep their data. What an agent writes into a folder of the host that is
 * mounted directly lies elsewhere and is the user's own to watch.
 */
export function engineDisk(state: State, engines: Engines): Disk {
  return {
    free: async () => {
      const folders = new Set<string>();
      for (const engine of new Set(running(state).map((record) => record.engine))) {
        const facts = await engines.engine(engine).facts();
        if (facts.location === "local") folders.add(facts.dataFolder);
      }
      const free = await Promise.all([...folders].map(freeBytes));
      const known = free.filter((bytes) => bytes !== undefined);
      return known.length > 0 ? Math.min(...known) : undefined;
    },
    sizes: async () => {
      const sizes = new Map<string, number>();
      for (const { id, engine, containerId } of running(state)) {
        const size = await writtenBy(engines, engine, containerId);
        if (size !== undefined) sizes.set(id, size);
      }
      return sizes;
    },
    pause: async (id, reason) => {
      const record = state.records.read(id);
      if (!record?.containerId) return;
      // The reason first: whoever finds it paused finds out why.
      state.records.update(id, (latest) => ({ ...latest, paused: { reason, at: new Date().toISOString() } }));
      await engines.docker(record.engine).getContainer(record.containerId).pause();
    },
  };
}

function running(state: State): (SandboxRecord & { containerId: string })[] {
  return state.records
    .list()
    .records.flatMap((record) =>
      record.state === "adopted" && record.containerId !== null && record.paused === null
        ? [{ ...record, containerId: record.containerId }]
        : [],
    );
}

async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** undefined for one that does not run, or is gone. */
async function writtenBy(engines: Engines, engine: string, containerId: string): Promise<number | undefined> {
  try {
    const container = engines.docker(engine).getContainer(containerId);
    // `size` is an option that the engine takes and dockerode's types do not know.
    const { State, SizeRw } = inspected.parse(await container.inspect({ size: true } as object));
    return State.Running && !State.Paused ? SizeRw : undefined;
  } catch {
    return undefined;
  }
}
