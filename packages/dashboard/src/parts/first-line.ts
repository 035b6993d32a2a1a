import { writtenOut } from "./written-out.ts";

/** What a text is called in a list: its first line that says something, without the marks of Markdown. */
export function firstLine(text: string): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "";
  return writtenOut(line.replace(/^\s*(?:#+|[-*](?:\s*\[[ xX]\])?)\s+/, "").trim());
}
