import { type BigIntStats, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { errno, type WorkspaceMount } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import { systemFolders, systemTrees, usableBelow } from "./system-folders.ts";

/** A workspace that may be put into a sandbox: its real path, and who owns it. */
export interface CheckedWorkspace extends WorkspaceMount {
  uid: number;
  gid: number;
}

/** What must stay out of every workspace, besides the system itself. */
export interface Forbidden {
  home: string;
  /** Neither inside a workspace nor a workspace inside one: the state folder, the engine's socket and data. */
  paths: readonly string[];
  /** Folders of settings in the home folder that may be handed in all the same. */
  permitted?: readonly string[];
}

/**
 * Follows every symlink and judges where it leads, since that is what would be mounted. Throws the first reason
 * not to; what comes back exists, is a folder, and is safe to hand to an agent.
 */
export function checkWorkspaces(
  workspaces: readonly WorkspaceMount[],
  forbidden: Forbidden,
): CheckedWorkspace[] {
  const checked = workspaces.map((workspace) => checkWorkspace(workspace, forbidden));
  const twice = checked.find(
    ({ path }, index) => checked.findIndex((other) => other.path === path) !== index,
  );
  if (twice) throw refused(twice.path, "is named twice", "name each folder once");
  return checked;
}

export function checkWorkspace(workspace: WorkspaceMount, forbidden: Forbidden): CheckedWorkspace {
  const wanted = resolve(workspace.path);
  if (workspace.path === "" || /\p{Cc}/u.test(workspace.path)) {
    throw refused(JSON.stringify(workspace.path), "has control characters or is empty", "rename the folder");
  }
  const path = realPath(wanted);
  const found = statSync(path, { bigint: true });
  if (!found.isDirectory()) throw refused(path, "is not a folder", "name the folder it lies in");
  refuseForbidden(path, forbidden);
  return { path, readOnly: workspace.readOnly, ...owner(found) };
}

/** The reason why nothing at this real path is ever handed to an agent, if there is one. */
export function refuseForbidden(path: string, forbidden: Forbidden): void {
  const { home } = forbidden;
  const elsewhere = "use a folder of its own for the project";
  if (path === "/") throw refused(path, "is the whole file system", elsewhere);
  const tree = systemTrees.find((folder) => isWithin(path, folder));
  if (tree !== undefined && !usableBelow.some((folder) => path !== folder && isWithin(path, folder))) {
    throw refused(path, `belongs to the system (${tree})`, elsewhere);
  }
  if (systemFolders.includes(path)) throw refused(path, "is a folder of the system", elsewhere);
  if (isWithin(real(home), path)) throw refused(path, "holds your whole home folder", elsewhere);
  if (homeFolders().includes(path)) throw refused(path, "is somebody's home folder", elsewhere);
  for (const name of credentialFolders) {
    const folder = join(real(home), name);
    if (isWithin(path, folder)) throw refused(path, `holds credentials (${folder})`, elsewhere);
  }
  for (const name of settingsFolders) {
    if (forbidden.permitted?.includes(name)) continue;
    if (path === join(real(home), name))
      throw refused(path, "holds settings of all your programs", elsewhere);
  }
  for (const kept of forbidden.paths.map(real)) {
    if (isWithin(kept, path)) throw refused(path, `contains ${kept}, which no sandbox may reach`, elsewhere);
    if (isWithin(path, kept)) throw refused(path, `lies in ${kept}, which no sandbox may reach`, elsewhere);
  }
}

export function defaultHome(env: NodeJS.ProcessEnv = process.env): string {
  return env["HOME"] || homedir();
}

/** true for the folder itself and everything below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

export function refused(path: string, why: string, remedy: string): SandboxError {
  return new SandboxError("workspace_refused", `${path} cannot be a workspace: it ${why}`, { remedy });
}

const credentialFolders = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".password-store",
  ".config/gcloud",
];
const settingsFolders = [".config", ".local", ".local/share", ".local/state", ".cache", ".claude", ".codex"];

function realPath(wanted: string): string {
  try {
    const bytes = realpathSync.native(wanted, { encoding: "buffer" });
    const path = bytes.toString("utf8");
    if (Buffer.from(path).equals(bytes) && !/\p{Cc}/u.test(path)) return path;
  } catch (error) {
    throw missing(wanted, error);
  }
  throw refused(wanted, "leads to a path that is not plain UTF-8 text", "rename the folder");
}

function missing(path: string, cause: unknown): SandboxError {
  const code = errno(cause);
  if (code === "EACCES") {
    return new SandboxError("workspace_refused", `${path} cannot be entered by you`, {
      remedy: "give yourself access to it, or name another folder",
      cause,
    });
  }
  const why = code === "ELOOP" ? "is a symlink to itself" : "does not exist";
  return new SandboxError("workspace_missing", `the workspace ${path} ${why}`, {
    remedy: "make the folder first",
    cause,
  });
}

/** Ids beyond 32 bits do not exist; the big integers only keep inode numbers exact. */
function owner({ uid, gid }: BigIntStats): { uid: number; gid: number } {
  return { uid: Number(uid), gid: Number(gid) };
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // What does not exist yet is judged by the part that does.
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), path.slice(parent.length));
  }
}

function homeFolders(): string[] {
  try {
    const lines = readFileSync("/etc/passwd", "utf8").split("\n");
    return lines.flatMap((line) => line.split(":")[5] ?? []).filter((home) => home.startsWith("/home/"));
  } catch {
    return [];
  }
}
