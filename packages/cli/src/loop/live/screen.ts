import { stripVTControlCharacters } from "node:util";
import { widthOf } from "../../output/width.ts";
import type { OutputStream } from "../../program/surroundings.ts";

const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
/** Terminals that know it show all of a frame at once; others do not mind. */
const begin = "\u001b[?2026h";
const commit = "\u001b[?2026l";
const clearLine = "\u001b[2K";
const clearBelow = "\u001b[J";

/**
 * A few lines at the end of what a terminal shows, drawn again where they are. What is printed goes above them and stays.
 * Only lines that have changed are written, so that nothing flickers.
 */
export class Screen {
  readonly #out: OutputStream;
  #lines: readonly string[] = [];
  #columns: number;

  constructor(out: OutputStream) {
    this.#out = out;
    this.#columns = this.columns;
  }

  get columns(): number {
    return this.#out.columns || 80;
  }

  get rows(): number {
    return this.#out.rows || 24;
  }

  draw(lines: readonly string[]): void {
    const resized = this.columns !== this.#columns;
    const same = !resized && lines.length === this.#lines.length;
    const text = same ? this.#changed(lines) : `${this.#away()}${lines.map(asLine).join("")}`;
    this.#columns = this.columns;
    this.#lines = lines;
    if (text !== "") this.#out.write(`${begin}${hideCursor}${text}${commit}`);
  }

  /** Puts text above the lines, which stay below it. */
  print(text: string): void {
    const lines = this.#lines;
    this.#out.write(`${begin}${this.#away()}${text}${lines.map(asLine).join("")}${commit}`);
    this.#columns = this.columns;
    this.#lines = lines;
  }

  /** Leaves the lines where they are, or takes them away; what comes next comes below. */
  end(lines: "stay" | "go"): void {
    this.#out.write(`${lines === "go" ? this.#away() : ""}${clearBelow}${showCursor}`);
    this.#lines = [];
  }

  /** Goes up to where the lines begin, and takes them away. */
  #away(): string {
    // A terminal that became narrower has broken them.
    const heights = this.#lines.map((line) =>
      Math.max(1, Math.ceil(widthOf(stripVTControlCharacters(line)) / this.columns)),
    );
    const height = heights.reduce((sum, each) => sum + each, 0);
    return `${height > 0 ? `\u001b[${height}A` : ""}\r${clearBelow}`;
  }

  /** The cursor is below the last of them, before and after. */
  #changed(lines: readonly string[]): string {
    const count = lines.length;
    return lines
      .map((line, index) => {
        if (line === this.#lines[index]) return "";
        const up = count - index;
        return `\u001b[${up}A\r${clearLine}${line}\u001b[${up}B\r`;
      })
      .join("");
  }
}

function asLine(line: string): string {
  return `${line}\n`;
}
