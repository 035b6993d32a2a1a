import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { errno, type SandboxRecord } from "@opentiger/schema";
import type { CreateOptions, Sandbox } from "../../sandbox.ts";
import { putRepository } from "../../workspace/clone.ts";

/**
 * A private clone on the host: not at the workspace's path, where the user's own repository is, but in a folder of the
 * instance's that is named by the sandbox. It goes with the sandbox.
 */
export function hostClonePath(stateFolder: string, id: string, workspace: string): string {
  return join(clonesFolder(stateFolder), id, basename(workspace));
}

export function makeCloneFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Puts the repository in. git runs where the agent will, in a folder that was just made. */
export async function fillHostClone(
  sandbox: Sandbox,
  workspace: string,
  { repository, commit, signal, onProgress }: CreateOptions,
): Promise<SandboxRecord["repository"]> {
  const source = repository === undefined ? undefined : resolve(repository);
  const put = await putRepository(sandbox, {
    repository: source ?? workspace,
    path: sandbox.workspaces[0]?.path ?? "",
    ...(commit === undefined ? {} : { commit }),
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress } : {}),
  });
  return { path: workspace, commit: put.commit, ...(source === undefined ? {} : { source }) };
}

/**
 * The environment for everything in a clone. What the caller has of git's would lead it to another repository, and one
 * that has lost its `.git` must not be taken for a part of one around the state folder.
 */
export function cloneEnvironment(stateFolder: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !leadingElsewhere.has(name));
  return { ...Object.fromEntries(own), GIT_CEILING_DIRECTORIES: clonesFolder(stateFolder) };
}

export function removeHostClone(stateFolder: string, id: string): void {
  const folder = join(clonesFolder(stateFolder), id);
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (errno(error) !== "EACCES" && errno(error) !== "EPERM") throw error;
    // Package managers make folders that their owner may not change.
    makeWritable(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Removes the clones that no sandbox has. Who has one is asked when they have been looked for: the record of a sandbox is
 * written before its clone is made, and dropped after that is gone, so that one which is made meanwhile is not removed.
 */
export function removeStrayClones(stateFolder: string, known: () => readonly string[]): void {
  const clones = hostClones(stateFolder);
  const kept = new Set(known());
  for (const id of clones) if (!kept.has(id)) removeHostClone(stateFolder, id);
}

/** The ids of all there are. */
function hostClones(stateFolder: string): string[] {
  try {
    return readdirSync(clonesFolder(stateFolder));
  } catch (error) {
    if (errno(error) === "ENOENT") return [];
    throw error;
  }
}

const leadingElsewhere = new Set([
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
  "GIT_QUARANTINE_PATH",
]);

function clonesFolder(stateFolder: string): string {
  return join(stateFolder, "clones");
}

/** Follows no link: what one leads to is not the clone's. */
function makeWritable(path: string): void {
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) makeWritable(join(path, name));
}
