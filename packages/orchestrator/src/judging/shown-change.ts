import type { FileChange } from "../git/file-change.ts";
import type { LoopRepository } from "../git/repository.ts";
import { type FileDiff, pieceCharacters } from "./pieces.ts";
import { shownPath } from "./shown-text.ts";

/** A change as a model is shown it. */
export interface ShownChange {
  diffs: FileDiff[];
  /** A line for each file. */
  overview: string[];
}

/** More than a person would read, or a model should be trusted to have read. */
const maxChangeCharacters = 40 * pieceCharacters;

/** Of a file that is not text, its beginning tells what it is. */
const headBytes = 512;

/** All of a change, file by file. undefined: it is too large to be judged. */
export async function shownChange(
  repository: Pick<LoopRepository, "diff" | "readFile">,
  { from, to, changes }: { from: string; to: string; changes: readonly FileChange[] },
): Promise<ShownChange | undefined> {
  const diffs: FileDiff[] = [];
  let left = maxChangeCharacters;
  for (const change of changes) {
    const isHidden = change.binary && !(await isReadAsText(repository, { from, to, change }));
    const text = isHidden
      ? await binaryText(repository, to, change)
      : await patchOf(repository, { from, to, path: change.path, maxBytes: left });
    if (text === undefined || text.length > left) return undefined;
    left -= text.length;
    diffs.push({ path: change.path, text });
  }
  return { diffs, overview: changes.map(overviewLine) };
}

/** Whether they are the same to a reader, whatever else moved on around them: the same files became the same. */
export function isSameChange(one: readonly FileChange[], other: readonly FileChange[]): boolean {
  const ids = (changes: readonly FileChange[]): string =>
    JSON.stringify(
      changes.map(({ path, oldMode, newMode, oldOid, newOid }) => [path, oldMode, newMode, oldOid, newOid]),
    );
  return ids(one) === ids(other);
}

/** Files that a program reads as text, whatever is in them: one byte in a comment would hide all of it. */
const sources =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|json[c5]?|py[iw]?|go|rs|rb|php|java|kts?|scala|groovy|gradle|cs|fs|swift|dart|c|cc|cpp|cxx|h|hh|hpp|mm?|sh|bash|zsh|fish|ps1|bat|cmd|pl|lua|r|jl|exs?|erl|hs|ml|clj|sql|html?|svg|xml|css|s[ac]ss|less|md|txt|ya?ml|toml|ini|cfg|conf|env|mk|cmake|tf|proto|graphql)$/i;

async function isReadAsText(
  repository: Pick<LoopRepository, "readFile">,
  { from, to, change: { path, status } }: { from: string; to: string; change: FileChange },
): Promise<boolean> {
  if (status === "deleted") return false;
  if (sources.test(path)) return true;
  const [before, after] = [await repository.readFile(from, path), await repository.readFile(to, path)];
  const wasText = before !== undefined && before.length > 0 && !before.includes(0);
  return wasText || after?.toString("latin1", 0, 2) === "#!";
}

async function patchOf(
  repository: Pick<LoopRepository, "diff">,
  { from, to, path, maxBytes }: { from: string; to: string; path: string; maxBytes: number },
): Promise<string | undefined> {
  const { text, cut } = await repository.diff(from, to, { paths: [path], maxBytes, binaries: "shown" });
  return cut ? undefined : text;
}

async function binaryText(
  repository: Pick<LoopRepository, "readFile">,
  to: string,
  { path, newOid, newMode, bytes, status }: FileChange,
): Promise<string> {
  if (status === "deleted") return "A file that is not text was deleted.";
  const head = (await repository.readFile(to, path))?.subarray(0, headBytes);
  const hex = head?.toString("hex").replaceAll(/(.{64})/g, "$1\n") ?? "";
  return `This is not text: ${bytes} bytes, mode ${newMode}, object ${newOid}. It begins with, in hexadecimal:\n${hex}\n`;
}

const letters = { added: "A", modified: "M", deleted: "D", type: "T" } as const satisfies Record<
  FileChange["status"],
  string
>;

function overviewLine({
  path,
  oldPath,
  status,
  addedLines,
  removedLines,
  binary,
  newMode,
  oldMode,
}: FileChange): string {
  const from = oldPath === null ? "" : `, with the content of ${shownPath(oldPath)}`;
  const mode = newMode !== null && newMode !== oldMode && newMode !== "100644" ? `, mode ${newMode}` : "";
  const size = binary ? "not text" : `+${addedLines} -${removedLines}`;
  return `${letters[status]} ${shownPath(path)} ${size}${from}${mode}`;
}
