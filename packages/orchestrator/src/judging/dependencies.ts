import { z } from "zod";

/** By these a package.json says what it depends on. */
export const dependencyKeys = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
] as const;

const list = z.record(z.string(), z.string());

type Manifest = Readonly<Record<string, unknown>>;

/** What a package depends on, and from where, by name. One that stands in several lists is meant by the first. */
function dependenciesOf(manifest: Manifest): Map<string, string> {
  const all = new Map<string, string>();
  for (const key of dependencyKeys)
    for (const [name, source] of Object.entries(list.safeParse(manifest[key]).data ?? {}))
      if (!all.has(name)) all.set(name, source);
  return all;
}

/**
 * Those that came from a registry before and come from elsewhere now: a folder of the repository, a git host, a package of
 * another name. A test runner that is replaced in this way says whatever it likes.
 */
export function movedDependencies(before: Manifest, after: Manifest): string[] {
  const now = dependenciesOf(after);
  return [...dependenciesOf(before)]
    .filter(([name, source]) => isRegistry(source) && !isRegistry(now.get(name) ?? source))
    .map(([name]) => name);
}

/** Names that a registry answers for: a package of the repository that takes one of them would be found in its place. */
export function registryNames(manifest: Manifest): string[] {
  return [...dependenciesOf(manifest)].filter(([, source]) => isRegistry(source)).map(([name]) => name);
}

/** A version, a range or a tag. All other sources have a colon, a slash or a dot in front. */
function isRegistry(source: string): boolean {
  return !/[:/]|^\./.test(source);
}
