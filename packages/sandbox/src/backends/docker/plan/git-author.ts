import { execFile } from "node:child_process";

export interface GitAuthor {
  gitName: string | null;
  gitEmail: string | null;
}

/**
 * The user's own name and address for commits, from the global settings only: git never runs in a workspace, where
 * settings may have been planted. No git, or none set, is no error.
 */
export function gitAuthor(env: NodeJS.ProcessEnv): Promise<GitAuthor> {
  const args = ["config", "--global", "--includes", "--null", "--get-regexp", "^user\\.(name|email)$"];
  const neutral = { ...env, GIT_DIR: "/dev/null", GIT_CEILING_DIRECTORIES: "/" };
  return new Promise((resolve) => {
    execFile("git", args, { cwd: "/", env: neutral, timeout: 5_000 }, (_error, stdout) => {
      const values = new Map(stdout.split("\0").map((line) => splitOnce(line)));
      resolve({ gitName: values.get("user.name") ?? null, gitEmail: values.get("user.email") ?? null });
    });
  });
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf("\n");
  return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
}
