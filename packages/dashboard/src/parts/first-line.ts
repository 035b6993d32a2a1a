/** What a text is called in a list: its first line that says something, without the marks of Markdown. */
export function firstLine(text: string): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "";
  return line.replace(/^\s*(?:#+|[-*](?:\s*\[[ xX]\])?)\s+/, "").trim();
}
