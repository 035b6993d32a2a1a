import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import type { ExecutionEnvironment, NetworkSettings, Project } from "@opentiger/schema";
import type { LoopRepository } from "../git/repository.ts";

export interface KeyParts {
  /** Of the instance: images of two of them are not mixed. */
  folder: string;
  environment: ExecutionEnvironment;
  /** The id of what it starts from. */
  base: string;
  repository: Pick<LoopRepository, "userPath" | "listFiles">;
  commit: string;
  project: Pick<Project, "setup" | "env" | "lockFiles">;
  network: NetworkSettings;
}

/**
 * What a set-up depends on: with the same key one serves for the other. Lock files are meant by their content at the
 * commit; the rest of the commit is not, since sandboxes are brought to theirs.
 */
export async function preparedKey(parts: KeyParts): Promise<string> {
  const { folder, environment, base, repository, commit, project, network } = parts;
  const { setup, env, lockFiles } = project;
  const locked = lockFiles.length === 0 ? [] : await repository.listFiles(commit, lockFiles);
  const { uid, gid } = statSync(repository.userPath);
  const facts = [
    1,
    folder,
    environment,
    base,
    locked.map(({ path, mode, oid }) => [path, mode, oid].join(" ")).toSorted(compare),
    setup,
    Object.entries(env)
      .map((variable) => variable.join("="))
      .toSorted(compare),
    network,
    repository.userPath,
    [uid, gid],
  ];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 40);
}

/** By their units of code: the same everywhere. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
