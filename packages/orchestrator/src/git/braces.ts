/** More than anybody writes by hand. Without a bound, thirty pairs of braces are a thousand million patterns. */
const mostCharacters = 10_000;

/**
 * All that a pattern with braces stands for: `{a,b{,c}}.ts` is `a.ts`, `b.ts` and `bc.ts`. Braces without a partner or a
 * comma are plain characters, and so is what a backslash precedes. undefined: it would be more than 10,000 characters.
 */
export function unfoldedBraces(pattern: string): string[] | undefined {
  if (pattern.length > mostCharacters) return undefined;
  const pieces = pattern.match(/\\.|[{},]|[^\\{},]+|\\/gs) ?? [];
  const paired = pairedBraces(pieces);
  let group: Group = { outer: null, done: [], last: [""] };
  for (const [index, piece] of pieces.entries()) {
    const { outer }: Group = group;
    if (piece === "{" && paired.has(index)) group = { outer: group, done: [], last: [""] };
    else if (piece === "," && outer) {
      group.done.push(...group.last);
      group.last = [""];
    } else {
      const around = piece === "}" ? outer : null;
      const ends = around ? alternatives(group) : [piece];
      group = around ?? group;
      if (isTooMuch(group.last, ends)) return undefined;
      group.last = joined(group.last, ends);
    }
  }
  return group.last;
}

/** What is between two braces, as far as it has been read. */
interface Group {
  readonly outer: Group | null;
  /** The alternatives before the last comma. */
  readonly done: string[];
  /** The one after it: several, if there are braces in it. */
  last: string[];
}

/** Where the braces are that have a partner. */
function pairedBraces(pieces: readonly string[]): Set<number> {
  const paired = new Set<number>();
  const open: number[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (piece === "{") open.push(index);
    const start = piece === "}" ? open.pop() : undefined;
    if (start !== undefined) paired.add(start).add(index);
  }
  return paired;
}

function alternatives({ done, last }: Group): string[] {
  return done.length > 0 ? [...done, ...last] : last.map((text) => `{${text}}`);
}

function isTooMuch(starts: readonly string[], ends: readonly string[]): boolean {
  return starts.length * sizeOf(ends) + ends.length * sizeOf(starts) > mostCharacters;
}

/** An empty one takes its place too. */
function sizeOf(texts: readonly string[]): number {
  return texts.reduce((size, text) => size + text.length + 1, 0);
}

function joined(starts: readonly string[], ends: readonly string[]): string[] {
  return starts.flatMap((start) => ends.map((end) => start + end));
}
