import type { Sandbox } from "../sandbox.ts";
import { putRepository } from "./clone.ts";

export interface PutCommitOptions {
  /** A repository of the host's that has the commit. */
  repository: string;
  /** The clone inside. */
  path: string;
  commit: string;
  /**
   * What of the clone is believed. objects, the default: those that are there do not travel again. nothing: for one in
   * which code has run that may want to deceive, since a file of its object store can be made to hold another content.
   */
  believed?: "objects" | "nothing";
  signal?: AbortSignal;
}

/**
 * Brings the clone of a running sandbox to a commit: tracked files become the commit's, what is neither tracked nor
 * ignored goes, and what git ignores stays. Settings, hooks, refs and index of the clone are made anew.
 */
export async function putCommit(sandbox: Pick<Sandbox, "exec">, options: PutCommitOptions): Promise<void> {
  const { believed = "objects", ...wanted } = options;
  await putRepository(sandbox, {
    ...wanted,
    ...(believed === "objects" ? { there: { kind: "clone" } } : {}),
  });
}
