import type { ReworkPoint } from "@opentiger/schema";
import type { FileChange } from "../git/file-change.ts";
import { pathMatcher } from "../git/path-matcher.ts";
import {
  always,
  besideTests,
  goModules,
  installed,
  manifests,
  runnerSettings,
  toolSettings,
} from "../project/control-paths.ts";
import { dependencyLists } from "../project/dependency-lists.ts";
import type { TaskRow } from "../state/tasks.ts";
import { controlFinder, type Files, type Protected, writtenPaths } from "./control-finder.ts";

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
  const tests = role === "tester" ? [] : [...project.testPaths, ...besideTests];
  const isListed = pathMatcher(mayChange);
  const isWhole = pathMatcher([...tests, ...installed, ...writtenPaths(project)]);
  const isControl = controls(project);
  const isPartly = pathMatcher([...manifests, ...goModules, ...dependencyLists]);
  return (path) => !isListed(path) && (isWhole(path) || (isControl(path) && !isPartly(path)));
}

/** Which of the changes is a test that was not there before, and nothing that would steer other tests. */
export function isNewTest(
  project: Protected,
  changes: readonly Pick<FileChange, "path" | "status">[],
): (path: string) => boolean {
  const added = new Set(changes.filter(({ status }) => status === "added").map(({ path }) => path));
  const isTest = pathMatcher([...project.testPaths, ...besideTests]);
  const isControl = controls(project);
  return (path) => added.has(path) && isTest(path) && !isControl(path);
}

function controls({ protectedPaths }: Protected): (path: string) => boolean {
  return pathMatcher([...protectedPaths, ...always, ...runnerSettings, ...toolSettings]);
}

interface Asked {
  changes: readonly FileChange[];
  from: string;
  to: string;
  project: Protected;
  task: Pick<TaskRow, "role" | "mayChange">;
}

/**
 * What was changed, without being asked for, of that which decides whether checks pass: a control that is not the same any
 * more, or a test that is gone. How a test was changed is for the model to judge, which is told of it.
 */
export async function changedRules(
  repository: Files,
  asked: Asked,
): Promise<{ points: ReworkPoint[]; notes: string[] }> {
  const isListed = pathMatcher(asked.task.mayChange);
  const isTest = pathMatcher([...asked.project.testPaths, ...besideTests]);
  const controlIn = controlFinder(repository, asked);
  const points: ReworkPoint[] = [];
  const notes: string[] = [];
  const unlisted = asked.changes.filter(({ path }) => !isListed(path));
  const added = unlisted.filter(({ status }) => status === "added").map(({ path }) => path);
  const ignored = new Set(await repository.ignored(asked.from, added));
  for (const change of unlisted) {
    const { path, status } = change;
    const control = (await controlIn(change)) ?? (ignored.has(path) ? ignoredFile : undefined);
    if (control !== undefined) points.push(point(path, control));
    else if (isTest(path) && status !== "added") {
      if (status !== "modified")
        points.push(point(path, "This test was there before and is not any more; put it back."));
      else notes.push(`${path} was there before: a test that the plan does not name was changed`);
    }
  }
  return { points, notes };
}

const ignoredFile =
  "The project's .gitignore leaves this file out of commits: a set-up, a build or a run makes its own. Remove it.";
function point(file: string, text: string): ReworkPoint {
  return { by: "rules", file, line: null, text };
}
