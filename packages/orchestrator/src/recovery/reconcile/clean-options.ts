export interface CleanOptions {
  signal?: AbortSignal;
  /** Files and pins only of loops that ended since then, because an earlier pass saw the others. Default: of all. */
  endedWithinMs?: number;
}
