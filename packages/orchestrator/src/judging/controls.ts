import type { Project, ReworkPoint } from "@opentiger/schema";
import type { FileChange } from "../git/file-change.ts";
import { pathMatcher } from "../git/path-matcher.ts";
import type { LoopRepository } from "../git/repository.ts";
import {
  always,
  goModules,
  installed,
  manifests,
  runnerSettings,
  snapshots,
} from "../project/control-paths.ts";
import { dependencyLists } from "../project/dependency-lists.ts";
import type { TaskRow } from "../state/tasks.ts";
import { changedDirectives, modulesAbove, vendoringModule } from "./go-module.ts";
import { changedControls } from "./manifest.ts";

type Protected = Pick<Project, "testPaths" | "protectedPaths" | "sources">;

/**
 * Which paths the second round takes from before the change: all that decides whether checks pass, but for what the plan
 * lists. Of manifests and lists of dependencies only those that are a test's, that a set-up makes, or that the project
 * itself says are protected.
 */
export function restoredPaths(
  project: Protected,
  { role, mayChange }: Pick<TaskRow, "role" | "mayChange">,
): (path: string) => boolean {
  // Tests are what a tester is there to write; the rules keep it from everything else.
  const tests = role === "tester" ? [] : [...project.testPaths, ...snapshots];
  const isListed = pathMatcher(mayChange);
  const isWhole = pathMatcher([...tests, ...installed, ...writtenPaths(project)]);
  const isControl = pathMatcher([...project.protectedPaths, ...always]);
  const isPartly = pathMatcher([...manifests, ...goModules, ...dependencyLists]);
  return (path) => !isListed(path) && (isWhole(path) || (isControl(path) && !isPartly(path)));
}

interface Asked {
  changes: readonly FileChange[];
  from: string;
  to: string;
  project: Protected;
  task: Pick<TaskRow, "role" | "mayChange">;
}

type Files = Pick<LoopRepository, "readFile">;

/**
 * What was changed, without being asked for, of that which decides whether checks pass: a control that is not the same any
 * more, or a test that is gone. How a test was changed is for the model to judge, which is told of it.
 */
export async function changedRules(
  repository: Files,
  asked: Asked,
): Promise<{ points: ReworkPoint[]; notes: string[] }> {
  const isListed = pathMatcher(asked.task.mayChange);
  const isTest = pathMatcher([...asked.project.testPaths, ...snapshots]);
  const controlIn = controlFinder(repository, asked);
  const points: ReworkPoint[] = [];
  const notes: string[] = [];
  for (const change of asked.changes.filter(({ path }) => !isListed(path))) {
    const { path, status } = change;
    const control = await controlIn(change);
    if (control !== undefined) points.push(point(path, control));
    else if (isTest(path) && status !== "added") {
      if (status !== "modified")
        points.push(point(path, "This test was there before and is not any more; put it back."));
      else notes.push(`${path} was there before: a test that the plan does not name was changed`);
    }
  }
  return { points, notes };
}

const wholeFile = "This file decides how the project is checked, and is not to be changed here; put it back.";

/** Says what of a changed file decides how the project is checked; undefined where nothing does. */
function controlFinder(
  repository: Files,
  { from, to, project }: Asked,
): (change: FileChange) => Promise<string | undefined> {
  const isWhole = pathMatcher([...installed, ...writtenPaths(project)]);
  const isManifest = pathMatcher(manifests);
  const isModule = pathMatcher(goModules);
  const isList = pathMatcher(dependencyLists);
  const isControl = pathMatcher([...project.protectedPaths, ...always]);
  const isRunners = pathMatcher(runnerSettings);
  const isTest = pathMatcher(project.testPaths);
  const isThere = existence(repository, from);
  const contents = (path: string) =>
    Promise.all([repository.readFile(from, path), repository.readFile(to, path)]);
  return async ({ path, status }) => {
    if (isWhole(path)) return wholeFile;
    if (isManifest(path)) return inParts(changedControls(...(await contents(path))));
    if (isModule(path)) {
      const isNested = status === "added" && (await anyOf(modulesAbove(path), isThere));
      return inParts(changedDirectives(...(await contents(path)), { isNested }));
    }
    if (isControl(path)) return isList(path) ? undefined : wholeFile;
    if (isRunners(path) && status === "added" && !isTest(path)) return wholeFile;
    const owner = vendoringModule(path);
    return owner !== undefined && (await isThere(owner)) ? wholeFile : undefined;
  };
}

function inParts(parts: readonly string[]): string | undefined {
  return parts.length === 0
    ? undefined
    : `${parts.join(", ")} decides how the project is checked; put it back.`;
}

/** Many files ask for the same one. */
function existence(repository: Files, commit: string): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (path) => {
    const answer =
      known.get(path) ?? repository.readFile(commit, path).then((content) => content !== undefined);
    known.set(path, answer);
    return answer;
  };
}

async function anyOf(
  paths: readonly string[],
  isThere: (path: string) => Promise<boolean>,
): Promise<boolean> {
  for (const path of paths) if (await isThere(path)) return true;
  return false;
}

/** What the project's file, or a flag, says besides what is detected, which `opentiger init` writes down as it is. */
function writtenPaths({ protectedPaths, sources }: Protected): string[] {
  if (sources.protectedPaths !== "file" && sources.protectedPaths !== "flag") return [];
  return protectedPaths.filter((path) => !/(?:^|\/)\*\*\/package\.json$/.test(path));
}

function point(file: string, text: string): ReworkPoint {
  return { by: "rules", file, line: null, text };
}
