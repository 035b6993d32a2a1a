import { longestRepositoryPath } from "@opentiger/schema";
import { unfoldedBraces } from "../../git/braces.ts";

/**
 * The same globs, written as few: those that differ in their first folder alone are one, `{a,b}/**`, as far as that can be
 * written and its braces do not stand for too much. So what is detected in many folders stays a list that people read.
 */
export function joinedFolders(globs: readonly string[]): string[] {
  const folders = new Map<string, Set<string>>();
  for (const glob of globs) {
    const at = glob.indexOf("/");
    const [folder, rest] = [glob.slice(0, at), glob.slice(at)];
    folders.set(rest, (folders.get(rest) ?? new Set()).add(folder));
  }
  return [...folders].flatMap(([rest, names]) => joined([...names], rest));
}

function joined(names: readonly string[], rest: string): string[] {
  const groups: string[][] = [];
  for (const name of names) {
    const last = groups.at(-1);
    if (last && isUsable(written([...last, name], rest))) last.push(name);
    else groups.push([name]);
  }
  return groups.map((group) => written(group, rest));
}

function written(names: readonly string[], rest: string): string {
  return names.length === 1 ? `${names[0]}${rest}` : `{${names.join(",")}}${rest}`;
}

function isUsable(glob: string): boolean {
  return glob.length <= longestRepositoryPath && unfoldedBraces(glob) !== undefined;
}
