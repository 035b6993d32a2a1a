import { unfoldedBraces } from "./braces.ts";

/**
 * Whether a path, given as the names that it consists of, is one of those that a glob stands for. `*` and `?` stay within
 * a name; `**` is any number of folders, also none, where it is all between two slashes, and otherwise as `*`; `[a-z]`,
 * `[!a]` and `[^a]` are one character, or stand for themselves; `{a,b}` is either; a backslash takes the meaning from what
 * follows. Names with a dot in front are as any other. Parentheses, `!`, `+` and `@` are plain characters.
 *
 * Patterns are written by models and paths by workers, so this is no regular expression: its time is bounded by the
 * length of the unfolded glob times that of the path. A glob whose braces unfold to too much stands for no path.
 */
export function globMatcher(glob: string): (names: readonly string[]) => boolean {
  const patterns = (unfoldedBraces(glob) ?? []).map((unfolded) => partsOf(unfolded.split("/")));
  return (names) => patterns.some((parts) => fits(parts, names));
}

/** Takes any number of what is matched, also none. */
const many = Symbol("many");

/** Takes one of what is matched, if it is true of that. */
type Test = (one: string) => boolean;

type Token = Test | typeof many;

/**
 * Whether the parts take all of these, in their order. Only the last `many` is ever tried again: whatever an earlier one
 * could take besides, it can take as well.
 */
function fits(parts: readonly Token[], all: ArrayLike<string>): boolean {
  const end = parts.at(-1);
  // Most differ here, and need no further look.
  if (end !== undefined && end !== many && !end(all[all.length - 1] ?? "")) return false;
  let part = 0;
  let at = 0;
  let afterMany = -1;
  let retryAt = 0;
  while (at < all.length) {
    const test = parts[part];
    if (test === many) {
      part += 1;
      afterMany = part;
      retryAt = at;
    } else if (test?.(all[at] ?? "")) {
      part += 1;
      at += 1;
    } else if (afterMany >= 0) {
      part = afterMany;
      retryAt += 1;
      at = retryAt;
    } else return false;
  }
  while (parts[part] === many) part += 1;
  return part === parts.length;
}

/** `src/**` is what is at `src` as well, were it a link; `src/*` followed by the same is only what is in folders there. */
function partsOf(texts: readonly string[]): Token[] {
  const parts = texts.map((text): Token => (text === "**" ? many : nameTest(text)));
  const isBelowAny = texts.at(-1) === "**" && texts.findLast((text) => text !== "**")?.endsWith("*");
  return isBelowAny ? [...parts, () => true] : parts;
}

function nameTest(text: string): Test {
  if (!/[*?[\\]/.test(text)) return (name) => name === text;
  const tests = tokensOf(text);
  if (!text.includes("[")) return (name) => fits(tests, name);
  const byName = plainTokensOf(text);
  return (name) => fits(tests, name) || fits(byName, name);
}

/** Brackets that are not closed are plain, and the expression takes them to the end, so as not to seek it from each. */
function tokensOf(text: string): Token[] {
  const tokens = text.matchAll(/\[[!^]?\]?(?:\\.|[^\\\]])*(\])?|(?:\\.|[^[\\]|\\$)+/gs);
  return [...tokens].flatMap(([found, closed]) => (closed ? [classTest(found)] : plainTokensOf(found)));
}

/** Of a text in which brackets stand for themselves. */
function plainTokensOf(text: string): Token[] {
  return (text.match(/\\?./gs) ?? []).map((found): Token => {
    if (found === "*") return many;
    if (found === "?") return () => true;
    const plain = found.slice(-1);
    return (character) => character === plain;
  });
}

/** One character of, or with `!` or `^` none of, those between brackets. */
function classTest(text: string): Test {
  const isNegated = /^\[[!^]/.test(text);
  const inner = text.slice(isNegated ? 2 : 1, -1);
  const ranges = [...inner.matchAll(/\\?(.)(?:-\\?(.))?/gs)].map(([, from = "", to = from]) => ({
    from,
    to,
  }));
  return (character) => ranges.some(({ from, to }) => from <= character && character <= to) !== isNegated;
}
