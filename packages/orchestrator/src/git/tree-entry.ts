/** One file of a commit. */
export interface TreeEntry {
  /** Relative to the top. Bytes that are no UTF-8 are kept as lone surrogates: see path-bytes.ts. */
  path: string;
  /** As git writes it: 100644, 100755, 120000 (a link), 160000 (a submodule). */
  mode: string;
  oid: string;
  /** 0 for a submodule. */
  size: number;
}
