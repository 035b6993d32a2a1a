import type { RootTools } from "../image/root-tools.ts";

/** The files of the host that a sandbox of this plan gets, besides its workspaces. */
export interface SandboxFiles {
  /** null where the engine cannot mount it: then the file is copied in. */
  supervisor: string | null;
  carrier: string | null;
  rootTools: RootTools | null;
  /** An empty file, to be mounted over `/etc/ld.so.preload` where the agent is root. */
  emptyFile: string | null;
}
