import { stat, statfs } from "node:fs/promises";
import type { State } from "@opentiger/sandbox";
import type { SandboxRecord } from "@opentiger/schema";
import { z } from "zod";
import type { Disk } from "../disk/disk-watch.ts";
import { folderBytes } from "../disk/folder-bytes.ts";
import type { Engines } from "./engines.ts";

const inspected = z.object({
  State: z.object({ Running: z.boolean(), Paused: z.boolean() }),
  SizeRw: z.number().default(0),
});

type Running = SandboxRecord & { containerId: string };

/**
 * The disks that our sandboxes write to: those on which their engines keep their data, and those of the folders of this
 * machine that are mounted directly. What another program writes into such a folder meanwhile counts as the sandbox's.
 */
export function engineDisk(state: State, engines: Engines): Disk {
  return {
    free: async () => {
      const free = new Map<string, number>();
      for (const folder of await foldersOf(running(state), engines)) {
        const [fileSystem, bytes] = await Promise.all([fileSystemOf(folder), freeBytes(folder)]);
        if (fileSystem !== undefined && bytes !== undefined) free.set(fileSystem, bytes);
      }
      return free;
    },
    sizes: async (fileSystem) => {
      const sizes = new Map<string, number>();
      for (const record of running(state)) {
        const size = await writtenBy(engines, record, fileSystem).catch(() => undefined);
        if (size !== undefined) sizes.set(record.id, size);
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

function running(state: State): Running[] {
  return state.records
    .list()
    .records.flatMap((record) =>
      record.state === "adopted" && record.containerId !== null && record.paused === null
        ? [{ ...record, containerId: record.containerId }]
        : [],
    );
}

async function foldersOf(records: readonly Running[], engines: Engines): Promise<Set<string>> {
  const folders = new Set(records.flatMap(writableFolders));
  for (const engine of new Set(records.map((record) => record.engine))) {
    const data = await dataFolder(engines, engine);
    if (data !== undefined) folders.add(data);
  }
  return folders;
}

/** Of a clone nothing of the host is mounted. */
function writableFolders({ workspaceKind, workspaces }: SandboxRecord): string[] {
  if (workspaceKind !== "direct") return [];
  return workspaces.flatMap(({ path, readOnly }) => (readOnly ? [] : [path]));
}

/** undefined where the engine keeps it on another machine, or does not answer. */
async function dataFolder(engines: Engines, engine: string): Promise<string | undefined> {
  try {
    const facts = await engines.engine(engine).facts();
    return facts.location === "local" ? facts.dataFolder : undefined;
  } catch {
    return undefined;
  }
}

async function fileSystemOf(folder: string): Promise<string | undefined> {
  try {
    return String((await stat(folder)).dev);
  } catch {
    return undefined;
  }
}

async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** undefined for one that does not run, is gone, or writes nothing there. */
async function writtenBy(engines: Engines, record: Running, fileSystem: string): Promise<number | undefined> {
  const data = await dataFolder(engines, record.engine);
  const own = data !== undefined && (await fileSystemOf(data)) === fileSystem;
  const folders: string[] = [];
  for (const folder of writableFolders(record))
    if ((await fileSystemOf(folder)) === fileSystem) folders.push(folder);
  if (!own && folders.length === 0) return undefined;
  const container = engines.docker(record.engine).getContainer(record.containerId);
  // `size` is an option that the engine takes and dockerode's types do not know.
  const { State, SizeRw } = inspected.parse(await container.inspect({ size: own } as object));
  if (!State.Running || State.Paused) return undefined;
  const bytes = await Promise.all(folders.map(folderBytes));
  return bytes.reduce<number | undefined>(
    (sum, each) => (sum === undefined || each === undefined ? undefined : sum + each),
    own ? SizeRw : 0,
  );
}
