/** Three or more backticks without another one behind them, or tildes. */
const opening = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;

/** Where code begins and ends in Markdown: what stands in it is no story, and says nothing of one. */
export class Fence {
  #marks: string | undefined;
  #line = 0;

  get isOpen(): boolean {
    return this.#marks !== undefined;
  }

  /** Where the code begins that has no end; undefined: all has. */
  get unclosed(): number | undefined {
    return this.isOpen ? this.#line : undefined;
  }

  read(line: string, number: number): void {
    if (this.#marks !== undefined) {
      if (closes(line.trim(), this.#marks)) this.#marks = undefined;
      return;
    }
    this.#marks = opening.exec(line)?.[1];
    this.#line = number;
  }
}

export function opensFence(line: string): boolean {
  return opening.test(line);
}

/** The same mark, at least as often, and nothing else. */
function closes(line: string, marks: string): boolean {
  const [mark = ""] = marks;
  return line.length >= marks.length && line === mark.repeat(line.length);
}
