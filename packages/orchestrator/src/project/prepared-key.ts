import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import type { ExecutionEnvironment, NetworkSettings, Project } from "@opentiger/schema";
import { Remembered } from "../git/remembered.ts";
import type { LoopRepository } from "../git/repository.ts";
import type { LoopRow } from "../state/loops.ts";

export interface KeyParts {
  /** Of the instance: images of two of them are not mixed. */
  folder: string;
  environment: ExecutionEnvironment;
  /** The id of what it starts from. */
  base: string;
  repository: Pick<LoopRepository, "path" | "userPath" | "listFiles">;
  /** Which sandbox asks for it. */
  loop: Pick<LoopRow, "id" | "baseOid">;
  /** What that one is brought to; the loop's base, or its branch later on. */
  commit: string;
  project: Pick<Project, "setup" | "env" | "lockFiles">;
  network: NetworkSettings;
}

/** What is to be known of lock files, by commit: finding them means going through the whole tree. */
const lockedFiles = new Remembered<string[]>(64);

export interface PreparedKey {
  key: string;
  /** Where the set-up is done. */
  commit: string;
}

/**
 * What a set-up depends on: with the same key one serves for the other. Lock files are meant by their content at the
 * commit; the rest of the commit is not, since sandboxes are brought to theirs. With the lock files of the loop's base it is
 * done at that base, where no agent has written, and serves every loop; with those of its branch it may run code of
 * agents, and serves this loop alone.
 */
export async function preparedKey(parts: KeyParts): Promise<PreparedKey> {
  const { folder, environment, base, repository, loop, commit, project, network } = parts;
  const { setup, env, lockFiles } = project;
  const { uid, gid } = statSync(repository.userPath);
  const baseCommit = loop.baseOid ?? commit;
  const atBase = await locked(repository, baseCommit, lockFiles);
  const atCommit = await locked(repository, commit, lockFiles);
  const isBases = JSON.stringify(atBase) === JSON.stringify(atCommit);
  const facts = [
    2,
    folder,
    environment,
    base,
    atCommit,
    setup,
    Object.entries(env)
      .map((variable) => variable.join("="))
      .toSorted(compare),
    network,
    repository.userPath,
    [uid, gid],
    isBases ? null : loop.id,
  ];
  const key = createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 40);
  return { key, commit: isBases ? baseCommit : commit };
}

async function locked(
  repository: KeyParts["repository"],
  commit: string,
  lockFiles: readonly string[],
): Promise<string[]> {
  if (lockFiles.length === 0) return [];
  return lockedFiles.answer(JSON.stringify([repository.path, commit, lockFiles]), async () => {
    const found = await repository.listFiles(commit, lockFiles);
    return found.map(({ path, mode, oid }) => [path, mode, oid].join(" ")).toSorted(compare);
  });
}

/** By their units of code: the same everywhere. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
