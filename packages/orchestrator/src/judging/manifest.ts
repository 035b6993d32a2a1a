import { z } from "zod";
import { dependencyKeys, movedDependencies, registryNames } from "./dependencies.ts";
import { bringsFolder, newPrograms, wordsOf } from "./programs.ts";

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
  "man",
  "files",
  "sideEffects",
  "publishConfig",
]);

const manifest = z.record(z.string(), z.unknown());

/** What else a manifest is looked at by. */
interface Around {
  /** Names by which packages of a registry are known here. */
  taken?: ReadonlySet<string>;
  /** The project's checks. */
  commands?: readonly string[];
  /** No other package was here before, by which anything could be run. */
  isFirst?: boolean;
}

/**
 * What of a package.json was changed that decides how checks run: an existing script, one that runs beside it, in place of
 * a program or at install, a program that may run in place of another, the settings of a tool, or that what came from a
 * registry comes from elsewhere now, as it does for a package that takes one of the names by which others are known. New
 * scripts and dependencies are none of it. A manifest that cannot be read is all of it.
 */
export function changedControls(
  before: Buffer | undefined,
  after: Buffer | undefined,
  { taken = new Set(), commands = [], isFirst = false }: Around = {},
): string[] {
  if (before === undefined) {
    const added = after ? read(after) : {};
    if (!added) return ["the file"];
    return [
      ...installScripts(added),
      ...(isFirst ? [] : newPrograms({}, added, taken)),
      ...(!isFirst && bringsFolder(added) ? ["directories.bin"] : []),
      ...movedFrom({}, added, taken),
      ...takenName(added, taken),
    ];
  }
  if (after === undefined) return ["the file"];
  const [old, now] = [read(before), read(after)];
  if (!old || !now) return before.equals(after) ? [] : ["the file"];
  const settings = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (key) => key !== "scripts" && key !== "bin" && !free.has(key) && !same(old[key], now[key]),
  );
  return [
    ...changedScripts(scriptsOf(old), scriptsOf(now), commands).map((name) => `scripts.${name}`),
    ...settings,
    ...newPrograms(old, now, new Set([...taken, ...wordsOf([...commands, ...texts(scriptsOf(old))])])),
    ...movedFrom(old, now, taken),
    ...(old["name"] === now["name"] ? [] : takenName(now, taken)),
  ];
}

/** Whether what it depends on is another than before. */
export function changesDependencies(before: Buffer | undefined, after: Buffer | undefined): boolean {
  const [old, now] = [before, after].map((file) => (file && read(file)) ?? {});
  return dependencyKeys.some((key) => !same(old?.[key], now?.[key]));
}

/** Names that a registry answers for, as far as this manifest asks it. */
export function namesTaken(file: Buffer): string[] {
  return registryNames(read(file) ?? {});
}

type Manifest = Readonly<Record<string, unknown>>;

function movedFrom(old: Manifest, now: Manifest, taken: ReadonlySet<string>): string[] {
  return movedDependencies(old, now, taken).map((name) => `where ${name} comes from`);
}

function takenName({ name }: Manifest, taken: ReadonlySet<string>): string[] {
  return typeof name === "string" && taken.has(name) ? [`a package that is called ${name}`] : [];
}

/** Package managers read past a byte order mark. */
function read(file: Buffer): Record<string, unknown> | undefined {
  try {
    return manifest.parse(JSON.parse(file.toString("utf8").replace(/^\uFEFF/, "")));
  } catch {
    return undefined;
  }
}

function scriptsOf(file: Manifest): Record<string, unknown> {
  return manifest.safeParse(file["scripts"]).data ?? {};
}

const atInstall = /^(?:pre|post)?(?:install|prepare|pack|publish)$|^(?:dependencies|prepublishOnly)$/;

function installScripts(file: Manifest): string[] {
  return Object.keys(scriptsOf(file))
    .filter((name) => atInstall.test(name))
    .map((name) => `scripts.${name}`);
}

function changedScripts(old: Manifest, now: Manifest, commands: readonly string[]): string[] {
  const called = calledScripts([...commands, ...texts(old)]);
  const names = Object.keys({ ...old, ...now }).filter((name) => !same(old[name], now[name]));
  return names.filter((name) => {
    if (Object.hasOwn(old, name) || called.has(name) || atInstall.test(name)) return true;
    const beside = /^(?:pre|post)(.+)$/.exec(name)?.[1];
    return beside !== undefined && Object.hasOwn(old, beside);
  });
}

const call = /\b(?:npm\s+run(?:-script)?|pnpm|yarn|bun)(?:\s+(?:run\b|-\S+))*\s+([\w:.][\w:.-]*)/g;

/** By these names package managers look for a script first, and for a program only where there is none. */
function calledScripts(commands: readonly string[]): ReadonlySet<string> {
  const names = commands.flatMap((command) => [...command.matchAll(call)]);
  return new Set(names.map(([, name = ""]) => name));
}

/** A longer command is no longer looked through: nobody wrote it to be read. */
const longestCommand = 10_000;

function texts(scripts: Manifest): string[] {
  return Object.values(scripts).map((command) => String(command).slice(0, longestCommand));
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
