import type { Project, ReworkPoint } from "@opentiger/schema";
import type { FileChange } from "../git/file-change.ts";
import { pathMatcher } from "../git/path-matcher.ts";
import type { LoopRepository } from "../git/repository.ts";
import type { TaskRow } from "../state/tasks.ts";
import { changedControls } from "./manifest.ts";

/**
 * What decides how commands run, in any project: settings of package managers and shells, and what a set-up makes and no
 * commit should hold. The judge's checks never see a candidate's own.
 */
const always = [
  "opentiger.json",
  "**/.gitattributes",
  "**/node_modules/**",
  "**/.venv/**",
  "**/.npmrc",
  "**/.yarnrc",
  "**/.yarnrc.yml",
  "**/.yarn/**",
  "**/.pnpmfile.cjs",
  "**/bunfig.toml",
  "**/.envrc",
  "**/.env",
  "**/.tool-versions",
  "**/.mise.toml",
  "**/pip.conf",
  "**/sitecustomize.py",
  "**/usercustomize.py",
  "**/.cargo/config*",
];

/** What a test compares with belongs to the test. */
const snapshots = ["**/__snapshots__/**", "**/*.snap"];

/** A manifest says both how a project is built and what it depends on; only the first is kept from the candidate. */
const manifests = ["**/package.json"];

/** What a project depends on, and where that comes from: a changed one is set up again, pointed out and read. */
const dependencyLists = [
  "**/{package-lock,npm-shrinkwrap}.json",
  "**/{pnpm-lock.yaml,yarn.lock,bun.lock,bun.lockb}",
  "**/{requirements,constraints}*.{txt,in}",
  "**/requirements/*.{txt,in}",
  "**/{uv,poetry,pdm,Cargo,Gemfile,composer}.lock",
  "**/{go.mod,go.sum,go.work.sum}",
];

/** The paths that the second round takes from before the change. */
export function restoredPaths(
  { testPaths, protectedPaths }: Pick<Project, "testPaths" | "protectedPaths">,
  { role, mayChange }: Pick<TaskRow, "role" | "mayChange">,
): { paths: string[]; except: string[] } {
  // Tests are what a tester is there to write; the rules keep it from everything else.
  const tests = role === "tester" ? [] : [...testPaths, ...snapshots];
  return {
    paths: [...tests, ...protectedPaths, ...always],
    except: [...mayChange, ...manifests, ...dependencyLists],
  };
}

/**
 * What was changed, without being asked for, of that which decides whether checks pass: a control that is not the same any
 * more, or a test that is gone. How a test was changed is for the model to judge, which is told of it.
 */
export async function changedRules(
  repository: Pick<LoopRepository, "readFile">,
  input: {
    changes: readonly FileChange[];
    from: string;
    to: string;
    project: Pick<Project, "testPaths" | "protectedPaths">;
    task: Pick<TaskRow, "role" | "mayChange">;
  },
): Promise<{ points: ReworkPoint[]; notes: string[] }> {
  const { changes, from, to, project, task } = input;
  const mayChange = pathMatcher(task.mayChange);
  const isManifest = pathMatcher(manifests);
  const isList = pathMatcher(dependencyLists);
  const isControl = pathMatcher([...project.protectedPaths, ...always]);
  const isTest = pathMatcher([...project.testPaths, ...snapshots]);
  const points: ReworkPoint[] = [];
  const notes: string[] = [];
  for (const { path, status } of changes.filter((change) => !mayChange(change.path))) {
    if (isManifest(path)) {
      const parts = changedControls(
        await repository.readFile(from, path),
        await repository.readFile(to, path),
      );
      if (parts.length > 0)
        points.push(point(path, `${parts.join(", ")} decides how the project is checked; put it back.`));
    } else if (isControl(path) && !isList(path))
      points.push(
        point(
          path,
          "This file decides how the project is checked, and is not to be changed here; put it back.",
        ),
      );
    else if (isTest(path) && status !== "added") {
      if (status !== "modified")
        points.push(point(path, "This test was there before and is not any more; put it back."));
      else notes.push(`${path} was there before: a test that the plan does not name was changed`);
    }
  }
  return { points, notes };
}

function point(file: string, text: string): ReworkPoint {
  return { by: "rules", file, line: null, text };
}
