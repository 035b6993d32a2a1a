export interface DiffFile {
  path: string;
  /** Where it was before, if elsewhere. */
  oldPath: string | null;
  added: number;
  removed: number;
  binary: boolean;
  lines: DiffLine[];
}

export interface DiffLine {
  kind: "same" | "added" | "removed" | "hunk";
  oldNumber: number | null;
  newNumber: number | null;
  text: string;
}

/** The files of a patch as git writes it, with the numbers of their lines. */
export function readDiff(patch: string): DiffFile[] {
  const files: DiffFile[] = [];
  let reader: FileReader | undefined;
  for (const line of patch.split("\n")) {
    if (line.startsWith("diff --git ")) {
      reader = new FileReader(line);
      files.push(reader.file);
    } else if (line.startsWith("--- ") && reader === undefined) {
      reader = new FileReader("");
      files.push(reader.file);
      reader.take(line);
    } else reader?.take(line);
  }
  return files;
}

class FileReader {
  readonly file: DiffFile;
  #old = 0;
  #new = 0;
  #inHunk = false;

  constructor(head: string) {
    const [, , after = ""] = /^diff --git a\/(.*) b\/(.*)$/.exec(head) ?? [];
    this.file = { path: after, oldPath: null, added: 0, removed: 0, binary: false, lines: [] };
  }

  take(line: string): void {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk) {
      this.#old = Number(hunk[1]);
      this.#new = Number(hunk[2]);
      this.#inHunk = true;
      this.file.lines.push({ kind: "hunk", oldNumber: null, newNumber: null, text: line });
    } else if (this.#inHunk) this.#takeLine(line);
    else this.#takeHead(line);
  }

  #takeHead(line: string): void {
    const { file } = this;
    if (line.startsWith("+++ ") && line !== "+++ /dev/null") file.path = withoutPrefix(line.slice(4));
    else if (line.startsWith("--- ") && file.path === "") file.path = withoutPrefix(line.slice(4));
    else if (line.startsWith("rename from ")) file.oldPath = line.slice(12);
    else if (line.startsWith("Binary files") || line === "GIT binary patch") file.binary = true;
  }

  #takeLine(line: string): void {
    const { file } = this;
    const text = line.slice(1);
    if (line.startsWith("+")) {
      file.added += 1;
      file.lines.push({ kind: "added", oldNumber: null, newNumber: this.#new++, text });
    } else if (line.startsWith("-")) {
      file.removed += 1;
      file.lines.push({ kind: "removed", oldNumber: this.#old++, newNumber: null, text });
    } else if (line.startsWith(" ")) {
      file.lines.push({ kind: "same", oldNumber: this.#old++, newNumber: this.#new++, text });
    }
  }
}

function withoutPrefix(path: string): string {
  return path.replace(/^[ab]\//, "").replace(/\t.*$/, "");
}
