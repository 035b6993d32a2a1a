import type { SandboxRecord } from "@opentiger/schema";

/** Who opens the way out of sandboxes. A port: this package makes sandboxes also where there is nobody who does. */
export interface Outward {
  /** Makes ready what `attach` needs; called early, so that it goes on while the sandbox is made. */
  prepare(): Promise<void>;
  /** When this resolves, the sandbox's connections are taken. */
  attach(record: SandboxRecord): Promise<void>;
  /** From now on nobody takes them. */
  detach(id: string): Promise<void>;
}
