/** Text that a table takes: without NUL, and without halves of characters, as cutting leaves them. */
export function plainText(text: string): string {
  return text
    .replaceAll("\0", "")
    .replaceAll(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");
}
