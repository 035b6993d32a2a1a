import { collect, type Sandbox } from "@opentiger/sandbox";
import { OrchestratorError } from "../errors.ts";
import { untouchedFiles } from "../git/untouched-files.ts";

export interface TidyOptions {
  cwd: string;
  /** Files that checks write: never committed, unless they are tracked. */
  reports: readonly string[];
  signal: AbortSignal;
}

/** As many as a person reads. */
const namedPaths = 10;

/** So many files that are neither tracked nor ignored say that something is wrong with the project's .gitignore. */
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
 * ignored is excluded, in the clone alone. Returns what was done, in words for the user.
 */
export async function tidyClone(sandbox: Sandbox, { cwd, reports, signal }: TidyOptions): Promise<string[]> {
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
  const seen = entries.filter((entry) => !entry.startsWith("?? ")).map((entry) => entry.slice(3));
  const untouched = seen.length === 0 ? "" : (await run(["sh", "-c", untouchedScript])).toString("utf8");
  const same = new Set(untouched.split("\n").map((line) => line.slice(line.indexOf("\t") + 1)));
  const changed = seen.filter((path) => !same.has(path));
  if (changed.length > 0) await run([...git, "reset", "--quiet", "--hard", "HEAD"]);
  const excluded = [...new Set([...left, ...reports])].slice(0, maxExcluded);
  if (excluded.length > 0) await run(["sh", "-c", excludeScript], excluded.map(pattern).join(""));
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

const untouchedScript = `${untouchedFiles}
untouched_files HEAD`;

/** Adds those lines of stdin that are not there yet. */
const excludeScript = `
set -eu
file=$(git rev-parse --git-path info/exclude)
mkdir -p -- "$(dirname -- "$file")"
touch -- "$file"
while IFS= read -r line; do
  grep -qxF -e "$line" -- "$file" || printf '%s\\n' "$line" >> "$file"
done
`;

/** This path and no other. A name with a line break cannot be written there, and matches as far as it can be. */
function pattern(path: string): string {
  const escaped = path.replaceAll(/[\\*?[\]#! ]/g, "\\$&").replaceAll("\n", "?");
  return `/${escaped}\n`;
}

function named(paths: readonly string[]): string {
  const rest = paths.length - namedPaths;
  return [...paths.slice(0, namedPaths), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}
