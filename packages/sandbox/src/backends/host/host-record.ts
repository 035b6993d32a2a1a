import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errno, sandboxName, sandboxRecord, workspaceKind, workspaceMount } from "@opentiger/schema";
import { z } from "zod";
import { SandboxError } from "../../errors.ts";
import { writeAtomically, writeOnce } from "../../state/atomic-file.ts";
import { creatorLives } from "../../state/creator.ts";

const hostRecord = z.object({
  version: z.literal(1),
  id: z.string(),
  name: sandboxName,
  agent: z.string(),
  workspaceKind: workspaceKind.default("direct"),
  workspaces: z.array(workspaceMount),
  /** clone only, as in a record of the other backend. */
  repository: sandboxRecord.shape.repository.default(null),
  env: sandboxRecord.shape.env.default({}),
  /** The names of variables that commands find besides, of whoever starts its supervisor; null: all. */
  inherit: z.array(z.string()).nullable().default(null),
  createdAt: z.string(),
  /** Who makes it, while it is being made. */
  creatorPid: z.number().int().nullable().default(null),
  /** Who removes it, while it is being removed: nobody uses it any more. */
  removing: z.object({ pid: z.number().int(), at: z.string() }).nullable().default(null),
  supervisor: z.object({ pid: z.number().int(), startTime: z.string() }).nullable(),
});
export type HostRecord = z.infer<typeof hostRecord>;

/** Its maker lives and has neither finished it nor given it up. */
export function isBeingMade({ creatorPid, createdAt, removing }: HostRecord): boolean {
  return creatorPid !== null && removing === null && creatorLives({ creatorPid, createdAt });
}

/** Its maker, or who was removing it, died: nobody is going to finish that. */
export function isAbandoned(record: HostRecord): boolean {
  const { creatorPid, removing } = record;
  if (removing) return !creatorLives({ creatorPid: removing.pid, createdAt: removing.at });
  return creatorPid !== null && !isBeingMade(record);
}

/** No name of a sandbox has it. */
const droppedMark = "~";

/** The sandboxes of host mode: a folder each, with a record and what its supervisor writes. */
export class HostRecords {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, "host");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  folderOf(name: string): string {
    return join(this.#folder, name);
  }

  /** false when the name is taken: of two creators exactly one wins. */
  create(record: HostRecord): boolean {
    for (;;) {
      mkdirSync(this.folderOf(record.name), { recursive: true, mode: 0o700 });
      try {
        return writeOnce(this.#path(record.name), serialised(record));
      } catch (error) {
        // Who dropped the one before took the folder away in between.
        if (errno(error) !== "ENOENT") throw error;
      }
    }
  }

  /** false when it is gone, or on its way: the next of its name is left alone, and nobody takes it back. */
  change({ id, name }: Pick<HostRecord, "id" | "name">, changes: Partial<HostRecord>): boolean {
    const now = this.read(name);
    if (now?.id !== id || now.removing) return false;
    try {
      writeAtomically(this.#path(name), serialised({ ...now, ...changes }));
      return true;
    } catch (error) {
      // Another one has dropped it in between.
      if (errno(error) === "ENOENT") return false;
      throw error;
    }
  }

  read(name: string): HostRecord | undefined {
    try {
      return hostRecord.parse(JSON.parse(readFileSync(this.#path(name), "utf8")));
    } catch (error) {
      if (errno(error) === "ENOENT") return undefined;
      throw new SandboxError("internal", `the record of the host sandbox ${name} cannot be read`, {
        remedy: `remove ${this.folderOf(name)} if it is of no use any more`,
        cause: error,
      });
    }
  }

  list(): HostRecord[] {
    const names = readdirSync(this.#folder).filter((name) => !name.endsWith(droppedMark));
    return names.flatMap((name) => this.read(name) ?? []);
  }

  /** Whoever opens it from now on is told that there is none. */
  markRemoving(record: Pick<HostRecord, "id" | "name">): void {
    this.change(record, { removing: { pid: process.pid, at: new Date().toISOString() } });
  }

  /** Two may remove one at the same time; who is late finds none, or the next of its name, and leaves that alone. */
  drop(record: Pick<HostRecord, "id" | "name">): void {
    if (this.read(record.name)?.id !== record.id) return;
    // At once: whoever makes the next one under this name must not find half of it.
    const dropped = join(this.#folder, `${record.name}.${record.id}${droppedMark}`);
    try {
      renameSync(this.folderOf(record.name), dropped);
    } catch (error) {
      if (errno(error) !== "ENOENT") throw error;
    }
    rmSync(dropped, { recursive: true, force: true });
  }

  /** What was dropped by somebody who was killed then. */
  collect(): void {
    for (const name of readdirSync(this.#folder))
      if (name.endsWith(droppedMark)) rmSync(join(this.#folder, name), { recursive: true, force: true });
  }

  #path(name: string): string {
    return join(this.folderOf(name), "record.json");
  }
}

function serialised(record: HostRecord): string {
  return `${JSON.stringify(hostRecord.parse(record), null, 2)}\n`;
}
