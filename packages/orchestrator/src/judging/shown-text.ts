/**
 * Characters that a reader does not see, or sees in another order than a program does: controls other than tab and line
 * feed, marks of direction, all that is drawn as nothing at all, separators of lines, and halves of a pair.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Text of a candidate, with everything in it that a reader would not see written out: `\u{202e}`. */
export function shownText(text: string): string {
  return text.replace(unseen, (character) => (plain.has(character) ? character : written(character)));
}

/** A path, quoted, so that a name with a line feed or a quote in it is still one name on one line. */
export function shownPath(path: string): string {
  return shownText(JSON.stringify(path));
}

const plain = new Set(["\t", "\n"]);

function written(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
