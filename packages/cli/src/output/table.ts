import { stripVTControlCharacters } from "node:util";
import { charactersOf } from "./characters.ts";
import { cutTo } from "./width.ts";

const gap = 3;

/** Of the last column, however narrow the terminal is. */
const leastOfLast = 12;

/**
 * Columns of equal width, padded by what is seen and not by colour codes. The last column is not padded; where lines are to
 * be no longer than the terminal's, it is cut, and has no colours.
 */
export function renderTable(rows: readonly (readonly string[])[], longest?: number): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => visibleLength(row[column]))),
  );
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => pad(cell, column))
          .join("")
          .trimEnd()}\n`,
    )
    .join("");

  function pad(cell: string, column: number): string {
    if (column === widths.length - 1) return longest === undefined ? cell : cutTo(roomOfLast(longest), cell);
    return cell + " ".repeat((widths[column] ?? 0) - visibleLength(cell) + gap);
  }

  function roomOfLast(line: number): number {
    const taken = widths.slice(0, -1).reduce((sum, width) => sum + width + gap, 0);
    return Math.max(leastOfLast, line - taken);
  }
}

/** A name that came from elsewhere must not move the cursor or turn the line around: such characters are shown. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** The same for a text that may have several lines, each of which stands for itself. */
export function printableLines(text: string): string[] {
  return text.split("\n").map(printable);
}

/** The same as one text, whose lines after the first stand so far to the right. */
export function printableText(text: string, indent: string): string {
  return printableLines(text.trimEnd())
    .map((line, index) => (index === 0 ? line : `${indent}${line}`.trimEnd()))
    .join("\n");
}

/** In what a reader takes for characters. */
function visibleLength(cell: string | undefined): number {
  return charactersOf(stripVTControlCharacters(cell ?? "")).length;
}
