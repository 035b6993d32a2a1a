import { collect, type Sandbox } from "@opentiger/sandbox";
import { OrchestratorError } from "../errors.ts";
import { untouchedFiles } from "../git/untouched-files.ts";
import { firstFew } from "../wording.ts";

export interface TidyOptions {
  cwd: string;
  /** Files that checks write: never committed, unless they are tracked. */
  reports: readonly string[];
  signal: AbortSignal;
}

/** As many as a person reads. */
const namedPaths = 10;

/** More files that are neither tracked nor ignored say that something is wrong with the project's .gitignore. */
const maxExcluded = 10_000;

/** Neither hooks nor filters of the repository: files stay as they are in the commit. */
const git = [
  "git",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "filter.lfs.smudge=",
  "-c",
  "filter.lfs.process=",
  "-c",
  "filter.lfs.required=false",
];

/**
 * Makes a clone that a set-up worked in look untouched to git: tracked files are put back, and what is neither tracked nor
 * ignored is excluded, in the clone alone, which also keeps what both were. Returns what was done, in words for the user.
 * Throws `setup_failed` where that is too much to be excluded: nothing of it is ever committed.
 */
export async function tidyClone(
  sandbox: Pick<Sandbox, "exec">,
  { cwd, reports, signal }: TidyOptions,
): Promise<string[]> {
  const run = async (command: readonly string[], input?: string): Promise<Buffer> => {
    signal.throwIfAborted();
    const execution = await sandbox.exec(command, { cwd, ...(input === undefined ? {} : { stdin: true }) });
    if (input !== undefined) execution.stdin.end(input);
    const { exit, stdout, stderr } = await collect(execution);
    if (exit.code === 0) return stdout;
    throw new OrchestratorError(
      "setup_failed",
      `after the set-up git failed: ${stderr.toString("utf8").slice(-500)}`,
      {
        remedy: "see whether a set-up command changes .git",
      },
    );
  };
  const status = await run([
    ...git,
    "status",
    "--porcelain",
    "--untracked-files=normal",
    "-z",
    "--no-renames",
    "--ignore-submodules=all",
  ]);
  const entries = status.toString("utf8").split("\0").filter(Boolean);
  const left = entries.filter((entry) => entry.startsWith("?? ")).map((entry) => entry.slice(3));
  if (left.length > maxExcluded) throw tooMany(left);
  const seen = entries.filter((entry) => !entry.startsWith("?? ")).map((entry) => entry.slice(3));
  const untouched = seen.length === 0 ? "" : (await run(["sh", "-c", untouchedScript])).toString("utf8");
  const same = new Set(untouched.split("\n").map((line) => line.slice(line.indexOf("\t") + 1)));
  const changed = seen.filter((path) => !same.has(path));
  if (changed.length > 0) await run([...git, "reset", "--quiet", "--hard", "HEAD"]);
  const lines = [...new Set([...left, ...reports].map(pattern)), ...[...left, ...changed].map(remark)];
  if (lines.length > 0) await run(["sh", "-c", excludeScript], lines.join(""));
  return [
    ...(changed.length > 0
      ? [`the set-up changes tracked files, which were put back: ${named(changed)}`]
      : []),
    ...(left.length > 0
      ? [
          `the set-up leaves files that are neither tracked nor ignored; they are never committed: ${named(left)}`,
        ]
      : []),
  ];
}

/** What set-ups have left or changed in this clone, by its path; a folder that is all theirs ends with a slash. */
export async function madeBySetUp(sandbox: Pick<Sandbox, "exec">, cwd: string): Promise<string[]> {
  const { exit, stdout } = await collect(await sandbox.exec(["sh", "-c", madeScript], { cwd }));
  if (exit.code !== 0) throw new OrchestratorError("internal", "what the set-up made cannot be read");
  const lines = stdout.toString("utf8").split("\n");
  return lines.filter((line) => line.startsWith(made)).map((line) => line.slice(made.length));
}

/** As little as the file itself is there in every clone. */
const madeScript = `file=$(git rev-parse --git-path info/exclude) && { [ ! -e "$file" ] || cat -- "$file"; }`;

function tooMany(left: readonly string[]): OrchestratorError {
  return new OrchestratorError(
    "setup_failed",
    `the set-up leaves ${left.length} files that are neither tracked nor ignored: ${named(left)}`,
    {
      remedy: `name them in .gitignore and commit that: no more than ${maxExcluded} are kept out of commits`,
    },
  );
}

const untouchedScript = `${untouchedFiles}
untouched_files HEAD`;

/** Adds those lines of stdin that are not there yet, however many there are. */
const excludeScript = `
set -eu
file=$(git rev-parse --git-path info/exclude)
mkdir -p -- "$(dirname -- "$file")"
touch -- "$file"
export file
awk '
  BEGIN { while ((getline line < ENVIRON["file"]) > 0) seen[line] = 1; close(ENVIRON["file"]) }
  !($0 in seen) { seen[$0] = 1; print >> ENVIRON["file"] }
'
`;

/** This path and no other. A name with a line break cannot be written there, and matches as far as it can be. */
function pattern(path: string): string {
  const escaped = path.replaceAll(/[\\*?[\]#! ]/g, "\\$&").replaceAll("\n", "?");
  return `/${escaped}\n`;
}

/** A remark to git. It stands in the file of the clone that goes along into images made of it. */
const made = "# opentiger: made by the set-up: ";

function remark(path: string): string {
  return `${made}${path.replaceAll("\n", "?")}\n`;
}

function named(paths: readonly string[]): string {
  return firstFew(paths, namedPaths).join(", ");
}
