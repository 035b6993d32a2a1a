import { execFile } from "node:child_process";
import { printable } from "@opentiger/sandbox";
import { OrchestratorError } from "../errors.ts";

const mostOutput = 16 * 1024 * 1024;

export interface Said {
  status: number;
  out: string;
  /** The end of what it said, on one line. */
  said: string;
}

/** The user's own git, with all that they have set up: for what they asked for themselves, and for nothing else. */
export function plainGit(folder: string, env: NodeJS.ProcessEnv) {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !leadsElsewhere.test(name)));
  const quiet = { ...own, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true", GIT_PAGER: "cat" };
  const options = { cwd: folder, env: quiet, maxBuffer: mostOutput };
  return (args: readonly string[], allow: readonly number[] = []): Promise<Said> =>
    new Promise((resolve, reject) => {
      const child = execFile("git", args, options, (error, stdout, stderr) => {
        const said = printable(`${stdout.slice(-2000)} ${stderr.slice(-2000)}`, 1000);
        const status = child.exitCode;
        if (status !== null && (status === 0 || allow.includes(status)))
          return resolve({ status, out: stdout, said });
        reject(failed(args[0] ?? "git", said, error));
      });
      child.stdin?.end();
    });
}

/** Of whoever started us: a hook of git's, for one, has these set for another repository. */
const leadsElsewhere =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|COMMON_DIR|PREFIX|NAMESPACE|ALTERNATE_OBJECT_DIRECTORIES)$/;

function failed(verb: string, said: string, cause: Error | null): OrchestratorError {
  return new OrchestratorError(
    "git_failed",
    `git ${verb} failed: ${said || (cause?.message ?? "without a word")}`,
    {
      remedy: "try the same by hand to see what git says",
      cause,
    },
  );
}
