const contextLines = 3;

export interface Change {
  path: string;
  find: string;
  replace: string;
}

/** A patch in Codex's format that makes a file, or puts another in its place. It cannot do without a last newline. */
export function addPatch(path: string, content: string): string | undefined {
  if (!content.endsWith("\n")) return undefined;
  const lines = content.slice(0, -1).split("\n");
  return wrapped([`*** Add File: ${path}`, ...marked("+", lines)]);
}

/** The patch for a change in a file whose text is known. undefined where `find` is not in it exactly once. */
export function changePatch({ path, find, replace }: Change, text: string): string | undefined {
  const at = text.indexOf(find);
  if (at === -1 || at !== text.lastIndexOf(find)) return undefined;
  // A patch speaks of whole lines: of those that are no longer the same, and of some around them.
  const before = text.split("\n");
  const after = `${text.slice(0, at)}${replace}${text.slice(at + find.length)}`.split("\n");
  const same = sharedStart(before, after);
  const sameEnd = sharedStart(before.slice(same).toReversed(), after.slice(same).toReversed());
  return wrapped([
    `*** Update File: ${path}`,
    "@@",
    ...marked(" ", before.slice(Math.max(0, same - contextLines), same)),
    ...marked("-", before.slice(same, before.length - sameEnd)),
    ...marked("+", after.slice(same, after.length - sameEnd)),
    // What follows the last newline is no line.
    ...marked(" ", before.slice(before.length - sameEnd, -1).slice(0, contextLines)),
  ]);
}

function sharedStart(left: readonly string[], right: readonly string[]): number {
  const end = Math.min(left.length, right.length);
  for (let index = 0; index < end; index += 1) if (left[index] !== right[index]) return index;
  return end;
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.map((line) => `${mark}${line}`);
}

function wrapped(lines: readonly string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
}
