import { basename, dirname } from "node:path/posix";
import type { ProjectFiles } from "./project-files.ts";

/** Where there are more folders of tests than this, or none of so many files in one has tests, somebody has to say how. */
const maxStarts = 20;
const maxLookedAt = 20;

/** What the runner can import, by the pattern that it has of itself; and the other usual one, which it has to be told. */
const usual = /^test\w*\.py$/i;
const other = /^[a-z_]\w*_test\.py$/i;

/** Its name stands in a command. */
const plainFolder = /^[\w+][\w.+-]*(?:\/[\w+][\w.+-]*)*$/;

/** What was installed, and what tests only look at. */
const passedOver =
  /(?:^|\/)(?:node_modules|vendor|third_party|site-packages|testdata|fixtures|__fixtures__)\//;

/**
 * The command by which Python's own runner finds the tests; undefined where it would find none, and be content with that.
 * It goes from where it starts into packages alone, so it starts in each folder with tests that is not in one.
 */
export async function unittestCommand(files: ProjectFiles, python: string): Promise<string | undefined> {
  for (const [pattern, option] of [
    [usual, ""],
    [other, " -p '*_test.py'"],
  ] as const) {
    const starts = await startsOf(files, pattern);
    if (starts.length === 0) continue;
    return starts
      .map((start) => `${python} -m unittest discover${start === "." ? "" : ` -s ${start}`}${option}`)
      .join(" && ");
  }
  return undefined;
}

async function startsOf(files: ProjectFiles, pattern: RegExp): Promise<string[]> {
  const byStart = new Map<string, string[]>();
  for (const path of [...files.names].toSorted()) {
    if (!pattern.test(basename(path)) || passedOver.test(path)) continue;
    const start = startFor(files, path);
    if (start === "." || plainFolder.test(start)) byStart.set(start, [...(byStart.get(start) ?? []), path]);
  }
  const starts: string[] = [];
  for (const [start, paths] of [...byStart].slice(0, maxStarts)) {
    if (await anyHasTests(files, paths.slice(0, maxLookedAt))) starts.push(start);
  }
  return starts.toSorted();
}

/** The nearest folder above a file that is no package. */
function startFor(files: ProjectFiles, path: string): string {
  let folder = dirname(path);
  while (folder !== "." && files.has(`${folder}/__init__.py`)) folder = dirname(folder);
  return folder;
}

/** Tests are methods; functions are for pytest, and not seen. */
async function anyHasTests(files: ProjectFiles, paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    const text = (await files.text(path)) ?? "";
    if (/\bTestCase\b|\bload_tests\b|^[ \t]+(?:async[ \t]+)?def[ \t]+test/m.test(text)) return true;
  }
  return false;
}
