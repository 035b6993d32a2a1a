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
 * a package of another name. A test runner that is replaced in this way says whatever it likes. Of those which only other
 * packages of the repository have from there (`taken`), the ones that this package newly has from elsewhere.
 */
export function movedDependencies(before: Manifest, after: Manifest, taken: ReadonlySet<string>): string[] {
  const [old, now] = [dependenciesOf(before), dependenciesOf(after)];
  return [...now].flatMap(([name, sources]) => {
    const known = old.get(name) ?? [];
    const isForeign = known.length > 0 && known.every(isRegistry);
    if (!(isForeign || taken.has(name)) || !known.every(isSameForAll)) return [];
    return sources.every(isForeign ? isRegistry : isSameForAll) ? [] : [name];
  });
}

/** Names that a registry answers for: a package of the repository that takes one of them would be found in its place. */
export function registryNames(manifest: Manifest): string[] {
  return [...dependenciesOf(manifest)]
    .filter(([, sources]) => sources.every(isRegistry))
    .map(([name]) => name);
}

/** In place of a source that is no text: whoever wrote it wants something else than a registry. */
const unreadable = "./";

/** From a registry, or from the one package of the workspace that is called so. */
function isSameForAll(source: string): boolean {
  return isRegistry(source) || /^workspace:[\^~*\d][^/@:]*$/.test(source);
}

/**
 * A version, a range or a tag, or those that a workspace has for all of its packages. All other sources have a colon, a
 * slash or a dot in front.
 */
function isRegistry(source: string): boolean {
  return /^catalog:[\w-]*$/.test(source) || !/[:/]|^\./.test(source);
}
