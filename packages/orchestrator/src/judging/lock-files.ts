import type { FileChange } from "../git/file-change.ts";
import { pathMatcher } from "../git/path-matcher.ts";
import type { JudgedTask } from "../merging/judged-task.ts";
import { manifests } from "../project/control-paths.ts";
import { changesDependencies } from "./manifest.ts";

/** Of the changes, those that mean that the set-up has to be done again. */
export function changedLocks(changes: readonly FileChange[], lockFiles: readonly string[]): string[] {
  const isLock = pathMatcher(lockFiles);
  return changes.map(({ path }) => path).filter(isLock);
}

/** The same of manifests: what one asks for is only there when it was set up again, whatever the lock file says. */
export async function changedManifests(
  { repository, tip }: Pick<JudgedTask, "repository" | "tip">,
  commit: string,
  changes: readonly FileChange[],
): Promise<string[]> {
  const found: string[] = [];
  for (const { path } of changes.filter(({ path }) => isManifest(path))) {
    const files = await Promise.all([repository.readFile(tip, path), repository.readFile(commit, path)]);
    if (changesDependencies(...files)) found.push(path);
  }
  return found;
}

const isManifest = pathMatcher(manifests);

/** What is to be said of them: that they were changed, and where they lead that they did not lead before. */
export async function lockNotes(
  { repository, tip }: Pick<JudgedTask, "repository" | "tip">,
  commit: string,
  locks: readonly string[],
): Promise<string[]> {
  const notes: string[] = [];
  for (const path of locks) {
    notes.push(`${path} was changed`);
    const [before, after] = await Promise.all([
      repository.readFile(tip, path),
      repository.readFile(commit, path),
    ]);
    const sources = newSources(before, after);
    if (sources.length > 0) notes.push(`${path} leads to where it did not before: ${sources.join(", ")}`);
  }
  return notes;
}

/** What a changed lock file leads to that it did not lead to before: hosts, and places that are no registry. */
export function newSources(before: Buffer | undefined, after: Buffer | undefined): string[] {
  const known = new Set(sourcesOf(before));
  return [...new Set(sourcesOf(after))].filter((source) => !known.has(source)).slice(0, toldSources);
}

/** A lock file with more new ones than this is told of by the first of them. */
const toldSources = 20;

/** And of each only so much: a place has any length. */
const toldCharacters = 200;

/** Found by its slashes: whoever looked for what may stand in front of them would begin anew at each letter of the file. */
const host = /(?:^|[:"'\s])\/\/(?:[^\s/?#\\"']*@)?([a-z0-9.[\]:-]+)/gi;
/** In the words of the package managers, each with a sign of its own in front and behind. */
const place =
  /["'\s@{](?:file|link|portal|git|path|patch|exec|workspace|directory|editable)(?::|[ \t]?=)[ \t]?["']?[^\s"'},]*|=>[ \t]+[^\s"']+/gi;

function sourcesOf(file: Buffer | undefined): string[] {
  const text = file?.toString("latin1") ?? "";
  const hosts = [...text.matchAll(host)].map(([, name = ""]) => name.toLowerCase());
  const places = [...text.matchAll(place)].map(([found]) =>
    found.replace(/^["'\s@{]/, "").replace(/\s+/, " "),
  );
  return [...hosts, ...places].map((source) => source.slice(0, toldCharacters));
}
