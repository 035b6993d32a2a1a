import { posix } from "node:path";
import type { Project } from "@opentiger/schema";
import type { FileChange } from "../git/file-change.ts";
import { pathMatcher } from "../git/path-matcher.ts";
import type { LoopRepository } from "../git/repository.ts";
import type { TreeEntry } from "../git/tree-entry.ts";
import { always, goModules, installed, manifests, runnerSettings } from "../project/control-paths.ts";
import { dependencyLists } from "../project/dependency-lists.ts";
import { isPythonLibrary } from "../project/python-library.ts";
import { changedDirectives, modulesAbove, vendoringModule } from "./go-module.ts";
import { changedControls, namesTaken } from "./manifest.ts";
import { linkedPackages, lockInPlaceOf } from "./package-lock.ts";

export type Protected = Pick<Project, "testPaths" | "protectedPaths" | "sources" | "verify">;
export type Files = Pick<LoopRepository, "readFile" | "listFiles" | "contents" | "ignored">;

interface Compared {
  from: string;
  to: string;
  project: Protected;
}

/** Says what of a changed file decides how the project is checked; undefined where nothing does. */
export function controlFinder(
  repository: Files,
  compared: Compared,
): (change: FileChange) => Promise<string | undefined> {
  const isWhole = pathMatcher([...installed, ...writtenPaths(compared.project)]);
  const isAnyThere = existence(repository, compared.from);
  const partsOf = partFinder(repository, compared, isAnyThere);
  const isSteering = steering(compared.project);
  return async (change) => {
    if (isWhole(change.path)) return wholeFile;
    const parts = await partsOf(change);
    if (parts) return inParts(parts);
    const module = vendoringModule(change.path);
    const isVendored = module !== undefined && (await isAnyThere([module]));
    return isVendored || isSteering(change) ? wholeFile : undefined;
  };
}

const wholeFile = "This file decides how the project is checked, and is not to be changed here; put it back.";

function inParts(parts: readonly string[]): string | undefined {
  return parts.length === 0
    ? undefined
    : `${parts.join(", ")} decides how the project is checked; put it back.`;
}

/** What the project's file, or a flag, says besides what is detected, which `opentiger init` writes down as it is. */
export function writtenPaths({ protectedPaths, sources }: Protected): string[] {
  if (sources["protectedPaths"] !== "file" && sources["protectedPaths"] !== "flag") return [];
  return protectedPaths.filter((path) => !/(?:^|\/)\*\*\/package\.json$/.test(path));
}

const isManifest = pathMatcher(manifests);
const isModule = pathMatcher(goModules);
const packageLocks = ["**/{package-lock,npm-shrinkwrap}.json"];
const isPackageLock = pathMatcher(packageLocks);
const isInParts = pathMatcher([...manifests, ...goModules, ...packageLocks]);

/** As git writes it. Tools read what it leads to, and we do not. */
const link = "120000";

/** Of files that say both how a project is checked and what it depends on: what was changed of the first. */
function partFinder(
  repository: Files,
  { from, to, project }: Compared,
  isAnyThere: (paths: readonly string[]) => Promise<boolean>,
): (change: FileChange) => Promise<string[] | undefined> {
  const contents = (path: string) =>
    Promise.all([repository.readFile(from, path), repository.readFile(to, path)]);
  const locks = async (path: string): Promise<[Buffer | undefined, Buffer | undefined]> => {
    const [before, after] = await contents(path);
    const other = before === undefined ? lockInPlaceOf(path) : undefined;
    return [other === undefined ? before : await repository.readFile(from, other), after];
  };
  const commands = project.verify.map(({ command }) => command);
  let known: Promise<Packages> | undefined;
  const packages = (): Promise<Packages> => {
    known ??= packagesAt(repository, from);
    return known;
  };
  return async ({ path, status, newMode }) => {
    if (newMode === link) return isInParts(path) ? ["the file"] : undefined;
    if (isManifest(path))
      return changedControls(...(await contents(path)), { ...(await packages()), commands });
    if (isPackageLock(path)) return linkedPackages(...(await locks(path)));
    if (!isModule(path)) return undefined;
    const isNested = status === "added" && (await isAnyThere(modulesAbove(path)));
    return changedDirectives(...(await contents(path)), { isNested });
  };
}

/** Whether a file decides as a whole, by its name. */
function steering(project: Protected): (change: FileChange) => boolean {
  const isList = pathMatcher(dependencyLists);
  const isControl = pathMatcher([...project.protectedPaths, ...always]);
  const isRunners = pathMatcher(runnerSettings);
  const isTest = pathMatcher(project.testPaths);
  const folders = foldersOf(project);
  return ({ path, status }) => {
    if (isControl(path)) return !isList(path);
    if (status !== "added") return false;
    return (isRunners(path) && !isTest(path)) || isPythonLibrary(path, folders);
  };
}

/** In which commands of the checks are run: the top, and those into which they go. */
function foldersOf({ verify }: Protected): string[] {
  const entered = verify.flatMap(({ command }) => [...command.matchAll(/\bcd\s+([\w./-]+)/g)]);
  return ["", ...entered.map(([, folder = ""]) => posix.normalize(folder).replace(/\/$/, ""))];
}

/** Many files ask for the same one. */
function existence(repository: Files, commit: string): (paths: readonly string[]) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  const isThere = (path: string): Promise<boolean> => {
    const answer =
      known.get(path) ?? repository.readFile(commit, path).then((content) => content !== undefined);
    known.set(path, answer);
    return answer;
  };
  return async (paths) => {
    for (const path of paths) if (await isThere(path)) return true;
    return false;
  };
}

/** Manifests of the packages of one repository. */
const mostManifests = 200;

/** One that is longer was not written by hand. */
const longestManifest = 1024 * 1024;

function isOwnManifest({ path, mode, size }: TreeEntry): boolean {
  return mode.startsWith("100") && size <= longestManifest && !path.includes("node_modules/");
}

interface Packages {
  /** Of all packages that a registry is asked for, wherever in the repository. */
  taken: ReadonlySet<string>;
  isFirst: boolean;
}

async function packagesAt(repository: Files, from: string): Promise<Packages> {
  const found = await repository.listFiles(from, manifests);
  const own = found.filter(isOwnManifest).slice(0, mostManifests);
  const contents = await repository.contents(own.map(({ oid }) => oid));
  return { taken: new Set([...contents.values()].flatMap(namesTaken)), isFirst: found.length === 0 };
}
