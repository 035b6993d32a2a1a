import { z } from "zod";

/** By these a package.json says what it depends on. */
export const dependencyKeys = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
] as const;

const list = z.record(z.string(), z.unknown());

type Manifest = Readonly<Record<string, unknown>>;

/**
 * What a package depends on, and from where, by name. Which of several lists counts that have the same name is another one
 * for each package manager: npm takes `devDependencies` before `dependencies`.
 */
function dependenciesOf(manifest: Manifest): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const key of dependencyKeys)
    for (const [name, source] of Object.entries(list.safeParse(manifest[key]).data ?? {}))
      all.set(name, [...(all.get(name) ?? []), typeof source === "string" ? source : unreadable]);
  return all;
}

/**
 * Those that came from a registry before and come from elsewhere now, by any list: a folder of the repository, a git host,
 * a package of another name. A test runner that is replaced in this way says whatever it likes.
 */
export function movedDependencies(before: Manifest, after: Manifest): string[] {
  const now = dependenciesOf(after);
  return registryNames(before).filter((name) => !(now.get(name) ?? []).every(isRegistry));
}

/** Names that a registry answers for: a package of the repository that takes one of them would be found in its place. */
export function registryNames(manifest: Manifest): string[] {
  return [...dependenciesOf(manifest)]
    .filter(([, sources]) => sources.every(isRegistry))
    .map(([name]) => name);
}

/** In place of a source that is no text: whoever wrote it wants something else than a registry. */
const unreadable = "./";

/** A version, a range or a tag. All other sources have a colon, a slash or a dot in front. */
function isRegistry(source: string): boolean {
  return !/[:/]|^\./.test(source);
}
