import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { join } from "node:path";
import type { UserIds } from "./passwd-files.ts";

/** PostgreSQL's program files, and who runs them. */
export interface Program {
  /** With `bin`, `lib` and `share` below. */
  folder: string;
  /** undefined: whoever we are. */
  user: UserIds | undefined;
}

/** What its programs find: nothing of the caller's, and no other language than the one in which errors are read. */
const neutralEnvironment = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

export function startProgram(
  program: Program,
  name: "initdb" | "postgres",
  words: readonly string[],
  options: Pick<SpawnOptions, "stdio" | "detached" | "signal" | "killSignal">,
): ChildProcess {
  const path = join(program.folder, "bin", name);
  return spawn(path, words, { ...options, ...program.user, cwd: "/", env: neutralEnvironment });
}
