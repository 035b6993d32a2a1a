export interface CleanOptions {
  signal?: AbortSignal;
  /** Files and pins only of loops that ended since then, because an earlier pass saw the others. Default: of all. */
  endedWithinMs?: number;
  /** false: an earlier pass looked just now for what killed processes left half done. Default: it is looked for. */
  halfDone?: boolean;
}
