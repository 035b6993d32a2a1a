/** What became of one file from one commit to another. Renames are not guessed at: they are a deletion and an addition. */
export interface FileChange {
  path: string;
  /** Of an added file: a deleted one with the same content. */
  oldPath: string | null;
  /** type: a file became a link, a submodule, or the other way round. */
  status: "added" | "modified" | "deleted" | "type";
  /** null: there was none. */
  oldMode: string | null;
  newMode: string | null;
  oldOid: string | null;
  newOid: string | null;
  /** 0 where it is binary. */
  addedLines: number;
  removedLines: number;
  binary: boolean;
  /** Of the new content, or of its new lines where it is a large text of which little changed; 0 where it is gone. */
  bytes: number;
  /** Where a link leads; null for everything else. */
  linkTarget: string | null;
  /** Whether the new content is but a pointer to what Git LFS keeps elsewhere. */
  isPointer: boolean;
}
