/** Other than a tab and the end of a line: what a reader does not see, and what turns the letters beside it around. */
const unseen = /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}]/gu;

/** Text of an agent's on one line: it reads in the order in which it stands, as `\u{202e}` in `opentiger` too. */
export function writtenOut(text: string): string {
  return text.replaceAll(unseen, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
