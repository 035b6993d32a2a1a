export interface ChangedFile {
  path: string;
  status: "added" | "modified" | "deleted" | "type" | "untracked";
  /** Lines; null where there are none to count. */
  added: number | null;
  removed: number | null;
}

const statuses: Readonly<Record<string, ChangedFile["status"]>> = {
  A: "added",
  D: "deleted",
  T: "type",
};

/** What `git diff --raw --numstat -z --no-renames` says. */
export function readChanges(text: string): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  const words = readPaths(text);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const counted = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(word);
    if (counted) {
      const file = files.get(counted[3] ?? "");
      if (file) Object.assign(file, { added: countOf(counted[1]), removed: countOf(counted[2]) });
    } else if (word.startsWith(":")) {
      at += 1;
      const path = words[at] ?? "";
      files.set(path, { path, status: statuses[word.slice(-1)] ?? "modified", added: null, removed: null });
    }
  }
  return [...files.values()];
}

/** Names that end in a NUL each. */
export function readPaths(text: string): string[] {
  return text.split("\0").filter((path) => path !== "");
}

/** Of a file that is not text git writes `-`. */
function countOf(word: string | undefined): number | null {
  return word === undefined || word === "-" ? null : Number(word);
}
