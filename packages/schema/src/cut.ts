/** At most so many characters from the beginning of a text, and never half of one. */
export function firstCharacters(text: string, most: number): string {
  const cut = text.slice(0, most);
  return cut.length < text.length ? cut.replace(/[\ud800-\udbff]$/, "") : cut;
}

/** The same from its end. */
export function lastCharacters(text: string, most: number): string {
  const cut = text.slice(Math.max(0, text.length - most));
  return cut.length < text.length ? cut.replace(/^[\udc00-\udfff]/, "") : cut;
}
