import { z } from "zod";

/**
 * Parts of a package.json that a task may change as it needs to: what the package is and what it depends on. All others
 * say how it is built and tested, and are the project's.
 */
const free = new Set([
  "name",
  "version",
  "description",
  "keywords",
  "homepage",
  "bugs",
  "license",
  "author",
  "contributors",
  "funding",
  "repository",
  "private",
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "bundleDependencies",
  "main",
  "module",
  "browser",
  "types",
  "typings",
  "typesVersions",
  "exports",
  "bin",
  "man",
  "files",
  "sideEffects",
  "publishConfig",
]);

const manifest = z.record(z.string(), z.unknown());

/**
 * What of a package.json was changed that decides how checks run: an existing script, one that runs beside it or at
 * install, or the settings of a tool. New scripts and dependencies are none of it. One that cannot be read is all of it.
 */
export function changedControls(before: Buffer | undefined, after: Buffer | undefined): string[] {
  if (before === undefined) return after === undefined ? [] : installScripts(read(after) ?? {});
  if (after === undefined) return ["the file"];
  const [old, now] = [read(before), read(after)];
  if (!old || !now) return before.equals(after) ? [] : ["the file"];
  const settings = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (key) => key !== "scripts" && !free.has(key) && !same(old[key], now[key]),
  );
  return [...changedScripts(scriptsOf(old), scriptsOf(now)).map((name) => `scripts.${name}`), ...settings];
}

function read(file: Buffer): Record<string, unknown> | undefined {
  try {
    return manifest.parse(JSON.parse(file.toString("utf8")));
  } catch {
    return undefined;
  }
}

function scriptsOf(file: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return manifest.safeParse(file["scripts"]).data ?? {};
}

const atInstall = /^(?:pre|post)?(?:install|prepare|pack|publish)$|^(?:dependencies|prepublishOnly)$/;

function installScripts(file: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(scriptsOf(file))
    .filter((name) => atInstall.test(name))
    .map((name) => `scripts.${name}`);
}

function changedScripts(
  old: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): string[] {
  const names = Object.keys({ ...old, ...now }).filter((name) => !same(old[name], now[name]));
  return names.filter((name) => {
    if (Object.hasOwn(old, name) || atInstall.test(name)) return true;
    const beside = /^(?:pre|post)(.+)$/.exec(name)?.[1];
    return beside !== undefined && Object.hasOwn(old, beside);
  });
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
