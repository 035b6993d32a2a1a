import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, writeFileSync } from "node:fs";
import { readText } from "../text-file.ts";

const newline = 0x0a;
const keptAside = 4;

/** Lines that are only ever appended, in a file for its owner alone, with some older files behind it. */
export class LineFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns how large the file is now. */
  append(line: string): number {
    const file = openSync(this.#path, "a+", 0o600);
    try {
      // A line that lost its end with a power cut must not swallow this one.
      writeFileSync(file, `${endsLine(file) ? "" : "\n"}${line}\n`);
      return fstatSync(file).size;
    } finally {
      closeSync(file);
    }
  }

  lines(): string[] {
    return (readText(this.#path) ?? "").split("\n").filter((line) => line !== "");
  }

  /** Those of the file that was set aside last. */
  linesBefore(): string[] {
    return (readText(`${this.#path}.1`) ?? "").split("\n").filter((line) => line !== "");
  }

  setAside(): void {
    for (let number = keptAside - 1; number >= 0; number -= 1) {
      const from = number === 0 ? this.#path : `${this.#path}.${number}`;
      if (existsSync(from)) renameSync(from, `${this.#path}.${number + 1}`);
    }
  }
}

function endsLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === newline;
}
