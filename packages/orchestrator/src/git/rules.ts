import { type Project, projectFileName, type ReworkPoint, type TaskRole } from "@opentiger/schema";
import type { FileChange } from "./file-change.ts";
import { staysInside } from "./link-target.ts";
import { isOddName } from "./path-bytes.ts";
import { pathMatcher } from "./path-matcher.ts";
import { shownPath } from "./shown-path.ts";

export interface Rules {
  /** None: any. */
  allowedPaths: readonly string[];
  /** Files of the harness, tests and protected ones that the plan has listed. */
  mayChange: readonly string[];
  role: TaskRole;
  project: Pick<Project, "limits" | "testPaths">;
  /** Path and object id of tests that were written before, and that the commit has which the changes start from. */
  locked?: ReadonlyMap<string, string>;
}

/**
 * What a candidate must not do, whatever its code is like: from the commit that the agent was given to its own. An
 * empty list means that it keeps the rules. Each point is for the agent to read.
 */
export function checkRules(changes: readonly FileChange[], rules: Rules): ReworkPoint[] {
  const isListed = pathMatcher(rules.mayChange);
  const findings: Finding[] = [
    ...changes.flatMap((change) => oddFile(change)),
    ...changes.filter(({ path }) => isHarness(path) && !isListed(path)).map(harness),
    ...changes.filter(notAllowed(rules, isListed)).map((change) => outside(change, rules)),
    ...changes.filter((change) => isBroken(rules.locked?.get(change.path), change)).map(brokenLock),
    ...tooMuch(changes, rules.project.limits),
  ];
  const points = findings.slice(0, mostPoints).map(({ by = "rules", path, text }): ReworkPoint => {
    return { by, file: path === null ? null : shownPath(path), line: null, text };
  });
  const more = findings.length - points.length;
  if (more > 0) points.push({ by: "rules", file: null, line: null, text: `and ${more} more of this kind` });
  return points;
}

interface Finding {
  by?: ReworkPoint["by"];
  path: string | null;
  text: string;
}

/** A longer list is no help to an agent. */
const mostPoints = 50;

/**
 * What a harness obeys: ours, those of agents and editors that start programs when somebody merely opens the folder, and
 * hooks that git runs for whoever has told it to, as soon as the branch is merged. They are recognised in whatever case,
 * since some file systems do not tell them apart.
 */
const harnessFiles = pathMatcher([
  projectFileName,
  "**/.claude/**",
  "**/.mcp.json",
  "**/.codex/**",
  "**/.opencode/**",
  "**/opencode.json",
  "**/opencode.jsonc",
  "**/.cursor/**",
  "**/.gemini/**",
  "**/.vscode{,/tasks.json,/mcp.json}",
  "**/{.husky,.githooks}/**",
  "**/{,.}lefthook{,-local}.{yml,yaml,toml,json}",
  "**/.gitmodules",
]);

function isHarness(path: string): boolean {
  return harnessFiles(path.normalize("NFC").toLowerCase());
}

function harness({ path }: FileChange): Finding {
  return {
    path,
    text: "This file steers tools on other people's machines, and the plan does not list it: leave it as it was.",
  };
}

function oddFile(change: FileChange): Finding[] {
  const { path, oldMode, newMode, linkTarget } = change;
  const found: string[] = [];
  if (oldMode === "160000" || newMode === "160000") {
    found.push("This is a repository within the repository: neither add nor move submodules; commit files.");
  } else if (newMode === "120000" && !staysInside(path, linkTarget)) {
    found.push("This link leads out of the repository: use a relative one to a file within it, or a copy.");
  } else if (isNewPointer(change)) {
    found.push("Git LFS would keep this file, and what it keeps is not handed over: leave it as it was.");
  }
  if (isOddName(path) || /\p{Cc}/u.test(path)) {
    found.push("This name has bytes that are not text: give it a name in UTF-8 without control characters.");
  }
  return found.map((text) => ({ path, text }));
}

/** What one that was there before points to, wherever it is now, the user has. */
function isNewPointer({ isPointer, oldOid, newOid, oldPath }: FileChange): boolean {
  return isPointer && newOid !== oldOid && oldPath === null;
}

function notAllowed(rules: Rules, isListed: (path: string) => boolean): (change: FileChange) => boolean {
  const isAllowed = rules.allowedPaths.length === 0 ? () => true : pathMatcher(rules.allowedPaths);
  const { testPaths } = rules.project;
  const isTest = pathMatcher(testPaths);
  const mustBeTest = rules.role === "tester" && testPaths.length > 0;
  return ({ path }) => !isListed(path) && (!isAllowed(path) || (mustBeTest && !isTest(path)));
}

function outside({ path }: FileChange, rules: Rules): Finding {
  const { allowedPaths, role, project } = rules;
  const areTests = role === "tester" && project.testPaths.length > 0;
  const allowed = areTests
    ? [...project.testPaths, ...rules.mayChange]
    : [...allowedPaths, ...rules.mayChange];
  const what = areTests ? "Only tests may be changed" : "This task may change only";
  return { path, text: `${what}: ${allowed.map(shownPath).join(", ")}. Put this file back as it was.` };
}

/** A test that becomes a link, or a program, is another one, although its content is the same. */
function isBroken(
  locked: string | undefined,
  { oldOid, newOid, oldMode, newMode }: Pick<FileChange, "oldOid" | "newOid" | "oldMode" | "newMode">,
): boolean {
  if (locked === undefined) return false;
  return newOid !== locked || (oldOid === locked && newMode !== oldMode);
}

function brokenLock({ path }: FileChange): Finding {
  const text =
    "This test was written first and must stay byte for byte. If it is wrong, say why instead of changing it.";
  return { by: "tests", path, text };
}

function tooMuch(changes: readonly FileChange[], limits: Project["limits"]): Finding[] {
  const bytes = changes.reduce((sum, change) => sum + change.bytes, 0);
  const found: Finding[] = [];
  if (changes.length > limits.changedFiles) {
    found.push({
      path: null,
      text: `${changes.length} files differ, and a task may change ${limits.changedFiles}.`,
    });
  }
  if (bytes > limits.changedBytes) {
    found.push({
      path: null,
      text: `The change has ${bytes} bytes, and a task may change ${limits.changedBytes}.`,
    });
  }
  if (limits.binaries === "allowed") return found;
  const binaries = changes.filter(({ binary, newMode }) => binary && newMode !== null);
  const text = "This file is binary or very large: commit text only, and have what is built ignored by git.";
  return [...found, ...binaries.map(({ path }) => ({ path, text }))];
}
