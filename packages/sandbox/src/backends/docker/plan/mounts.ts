import { posix } from "node:path";
import type { FolderMount, WorkspaceKind } from "@opentiger/schema";
import { SandboxError } from "../../../errors.ts";
import { checkWorkspace, type Forbidden, isWithin } from "../../../workspace/rules.ts";
import type { EngineFacts } from "../engine/facts.ts";
import { agentHome } from "./decide.ts";

/**
 * Judges folders that are to be seen at another path by the rules of workspaces, except that the folder in which an
 * agent keeps its settings may be named here. They stand in the agent's home, where they hide nothing of ours.
 */
export function checkMounts(
  mounts: readonly FolderMount[],
  kind: WorkspaceKind,
  forbidden: Forbidden,
): FolderMount[] {
  if (mounts.length > 0 && kind === "clone") {
    throw new SandboxError("usage", "nothing of the host is mounted into a clone sandbox, no login either", {
      remedy: "leave out --clone, or use SANDBOX_CREDENTIALS=broker, which mounts nothing",
    });
  }
  return mounts.map(({ source, target }) => {
    if (target === agentHome || posix.normalize(target) !== target || !isWithin(target, agentHome)) {
      throw new SandboxError("usage", `nothing can be mounted at ${target}`, {
        remedy: `choose a path below ${agentHome}`,
      });
    }
    const permitted = { ...forbidden, permitted: agentFolders };
    return { source: checkWorkspace({ path: source, readOnly: true }, permitted).path, target };
  });
}

/** A remote engine would mount a folder of its own machine. */
export function refuseUnmountable(mounts: readonly FolderMount[], location: EngineFacts["location"]): void {
  if (mounts.length === 0 || location !== "remote") return;
  throw new SandboxError(
    "unsupported",
    "this engine is on another machine and cannot mount folders of this one",
    {
      remedy: "use SANDBOX_CREDENTIALS=broker, which mounts nothing",
    },
  );
}

const agentFolders = [".claude", ".codex"] as const;
