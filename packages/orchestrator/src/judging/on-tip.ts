import type { FileChange } from "../git/file-change.ts";

/** A candidate on the tip. */
export interface OnTip {
  tree: string;
  commit: string;
  /** The tip, with the tests that were held for it. */
  onto: string;
  /** From the tip to it. */
  changes: readonly FileChange[];
}
