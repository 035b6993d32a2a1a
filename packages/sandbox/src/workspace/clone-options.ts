import type { WorkspaceKind } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import type { CreateOptions } from "../sandbox.ts";

/** What says how a clone begins is said of a clone. */
export function refuseCloneOptions(
  kind: WorkspaceKind,
  { commit, repository, workspaces }: Pick<CreateOptions, "commit" | "repository" | "workspaces">,
): void {
  if (kind === "clone" && workspaces.length > 0) return;
  if (commit === undefined && repository === undefined) return;
  const what = commit === undefined ? "a repository to take commits from" : "a commit to start at";
  throw new SandboxError("usage", `${what} is for clone sandboxes only`, { remedy: "add --clone" });
}
