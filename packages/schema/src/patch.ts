/** One file of a patch. */
export interface PatchFile {
  /** As it is called afterwards; before, where it was removed. */
  path: string;
  /** Where it was before, if elsewhere. */
  oldPath: string | null;
  added: number;
  removed: number;
  binary: boolean;
  lines: PatchLine[];
}

export interface PatchLine {
  kind: "same" | "added" | "removed" | "hunk";
  oldNumber: number | null;
  newNumber: number | null;
  text: string;
}

/** The files of a patch as git writes it, with the numbers of their lines. Names are as files are called, not as git quotes them. */
export function readPatch(patch: string): PatchFile[] {
  const files: PatchFile[] = [];
  let reader: FileReader | undefined;
  for (const line of patch.split("\n")) {
    if (reader?.takeInHunk(line)) continue;
    const isHead = line.startsWith("diff --git ");
    if (isHead || (line.startsWith("--- ") && reader === undefined)) {
      reader = new FileReader(isHead ? nameInHead(line.slice("diff --git ".length)) : "");
      files.push(reader.file);
    }
    reader?.takeHead(line);
  }
  return files;
}

const kinds: Readonly<Record<string, "added" | "removed">> = { "+": "added", "-": "removed" };

class FileReader {
  readonly file: PatchFile;
  #old = 0;
  #new = 0;
  /** How many lines are left of the hunk, before and afterwards: what is in it is never taken for a head. */
  #before = 0;
  #after = 0;

  constructor(path: string) {
    this.file = { path, oldPath: null, added: 0, removed: 0, binary: false, lines: [] };
  }

  takeInHunk(line: string): boolean {
    if (this.#before <= 0 && this.#after <= 0) return false;
    const [sign] = line;
    // "\ No newline at end of file" is no line of it.
    if (sign === "\\") return true;
    const kind = kinds[sign ?? " "] ?? "same";
    const oldNumber = kind === "added" ? null : this.#old++;
    const newNumber = kind === "removed" ? null : this.#new++;
    if (kind !== "added") this.#before -= 1;
    if (kind !== "removed") this.#after -= 1;
    if (kind !== "same") this.file[kind] += 1;
    this.file.lines.push({ kind, oldNumber, newNumber, text: line.slice(1) });
    return true;
  }

  takeHead(line: string): void {
    const { file } = this;
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk) {
      [this.#old, this.#new] = [Number(hunk[1]), Number(hunk[3])];
      [this.#before, this.#after] = [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)];
      file.lines.push({ kind: "hunk", oldNumber: null, newNumber: null, text: line });
    } else if (line.startsWith("+++ ")) file.path = nameOfSide(line.slice(4)) ?? file.path;
    else if (line.startsWith("--- ") && file.path === "") file.path = nameOfSide(line.slice(4)) ?? "";
    else if (line.startsWith("rename from ")) file.oldPath = unquoted(line.slice("rename from ".length));
    else if (line.startsWith("rename to ")) file.path = unquoted(line.slice("rename to ".length));
    else if (line.startsWith("Binary files") || line === "GIT binary patch") file.binary = true;
  }
}

/** Of `a/NAME b/NAME`, each quoted where it must be. Where the two differ, lines that follow say how it is called. */
function nameInHead(both: string): string {
  const quoted = /(?:^| )("(?:[^"\\]|\\.)*")$/.exec(both)?.[1];
  if (quoted !== undefined) return nameOfSide(quoted) ?? "";
  // A name may have blanks, and " b/" too: twice the same name stands around the middle.
  const middle = (both.length - 1) / 2;
  const [one, other] = [both.slice(0, middle), both.slice(middle + 1)];
  if (one.slice(2) === other.slice(2)) return other.slice(2);
  return / b\/(.*)$/.exec(both)?.[1] ?? "";
}

/** undefined: there is no file on this side. */
function nameOfSide(written: string): string | undefined {
  // Behind a name with blanks git writes a tab.
  const name = unquoted(written.replace(/\t$/, ""));
  return name === "/dev/null" ? undefined : name.replace(/^[ab]\//, "");
}

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** A name with quotes, backslashes or control characters stands in quotes, as a string in C does; numbers are bytes. */
function unquoted(written: string): string {
  const [, inside] = /^"((?:[^"\\]|\\.)*)"$/s.exec(written) ?? [];
  if (inside === undefined) return written;
  const bytes = [...inside.matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)].flatMap(([, octal, letter, plain]) => {
    if (octal !== undefined) return [Number.parseInt(octal, 8)];
    if (letter !== undefined) return [escapes[letter] ?? letter.charCodeAt(0)];
    return [...new TextEncoder().encode(plain)];
  });
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
