/**
 * Which lines of which files a patch shows, by their numbers in the file as it is afterwards: what was added, and what
 * stands around it. A line that was removed has none.
 */
export function linesOfDiff(patch: string): Map<string, Set<number>> {
  const files = new Map<string, Set<number>>();
  let lines = new Set<number>();
  /** How many lines are left of the hunk, before and afterwards: what is in it is never taken for a head. */
  let [before, after, next] = [0, 0, 0];
  for (const line of patch.split("\n")) {
    const [sign] = line;
    if (before > 0 || after > 0) {
      if (sign === "\\") continue;
      if (sign !== "-") {
        lines.add(next);
        next += 1;
        after -= 1;
      }
      if (sign !== "+") before -= 1;
      continue;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk) [before, next, after] = [Number(hunk[1] ?? 1), Number(hunk[2]), Number(hunk[3] ?? 1)];
    else if (line.startsWith("+++ b/")) {
      lines = new Set();
      files.set(line.slice("+++ b/".length).replace(/\t$/, ""), lines);
    }
  }
  return files;
}
