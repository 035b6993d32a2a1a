import { charactersOf } from "./characters.ts";

/** Characters that terminals draw over two columns. */
const wide =
  /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|[\uff01-\uff60]/u;

/** How many columns of a terminal a text without colours takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of charactersOf(text)) width += wide.test(character) ? 2 : 1;
  return width;
}

/** At most so many columns of it, with an ellipsis where something is missing. */
export function cutTo(width: number, text: string): string {
  if (widthOf(text) <= width) return text;
  let cut = "";
  let taken = 0;
  for (const character of charactersOf(text)) {
    taken += wide.test(character) ? 2 : 1;
    if (taken > width - 1) break;
    cut += character;
  }
  return width > 0 ? `${cut}…` : "";
}

/** Exactly so many columns: cut, or filled up with blanks. */
export function fitTo(width: number, text: string): string {
  const cut = cutTo(width, text);
  return cut + " ".repeat(Math.max(0, width - widthOf(cut)));
}
