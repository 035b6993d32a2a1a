import { shownPath, shownText } from "./shown-text.ts";

/** What is to be seen of one changed file. */
export interface FileDiff {
  path: string;
  /** The patch, or what stands in its place where a file is not text. */
  text: string;
}

/** What a model is shown at once. */
export interface Piece {
  files: string[];
  text: string;
}

/** About twenty thousand tokens: enough to see a change as a whole, little enough that nothing of it is skimmed over. */
export const pieceCharacters = 60_000;

/** Names of files are told one by one; of very many small ones each would get too little attention. */
export const pieceFiles = 25;

/**
 * Cuts a diff into pieces of bounded size and leaves nothing out: small files share a piece, in their order, and one that
 * is too large for a piece is shown in parts, cut between lines where that can be.
 */
export function cutIntoPieces(diffs: readonly FileDiff[], limit = pieceCharacters): Piece[] {
  const pieces: Piece[] = [];
  let open: Piece = { files: [], text: "" };
  const close = (): void => {
    if (open.files.length > 0) pieces.push(open);
    open = { files: [], text: "" };
  };
  for (const { path, text } of diffs) {
    const parts = cutText(shownText(text), limit);
    for (const [index, part] of parts.entries()) {
      const titled = `${title(path, index, parts.length)}\n${part}${part.endsWith("\n") ? "" : "\n"}`;
      const isFull = open.text.length + titled.length > limit || open.files.length >= pieceFiles;
      if (isFull || parts.length > 1) close();
      open.files.push(path);
      open.text += titled;
    }
    if (parts.length > 1) close();
  }
  close();
  return pieces;
}

/** No line of a patch begins like this one, so that none can pass for the beginning of another file. */
function title(path: string, index: number, count: number): string {
  return `=== file ${shownPath(path)}${count === 1 ? "" : `, part ${index + 1} of ${count}`}`;
}

/** Stands in front of what follows of a line that had to be cut. */
const lineGoesOn = "(the line goes on) ";

/** An empty text is one empty part: a file that was made empty is shown too. */
function cutText(text: string, limit: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    const line = rest.lastIndexOf("\n", limit - 1) + 1;
    const at = line > 0 ? line : limit;
    parts.push(rest.slice(0, at));
    rest = `${line > 0 ? "" : lineGoesOn}${rest.slice(at)}`;
  }
  return [...parts, rest];
}
