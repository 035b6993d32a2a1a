import type { Backend } from "@opentiger/sandbox";
import type { Surroundings } from "./surroundings.ts";

export interface Recorded {
  surroundings: Surroundings;
  stdout: string;
  stderr: string;
  status: number;
}

/** Surroundings for tests: what is printed is kept, and the backend is whatever part of one the test needs. */
export function recordedSurroundings(
  options: {
    backend?: Partial<Backend>;
    tty?: true;
    columns?: number;
    env?: NodeJS.ProcessEnv;
    now?: Date;
    invocation?: Surroundings["invocation"];
  } = {},
): Recorded {
  const { backend = {}, env = {}, columns, now = new Date(), invocation = "docker sandbox" } = options;
  const isTTY = options.tty;
  const recorded: Recorded = {
    stdout: "",
    stderr: "",
    status: 0,
    surroundings: {
      env,
      cwd: "/work",
      now: () => now,
      stdin: { isTTY: false },
      stdout: { isTTY, columns, write: (text) => (recorded.stdout += text) },
      stderr: { isTTY, columns, write: (text) => (recorded.stderr += text) },
      program: invocation === "docker sandbox" ? invocation : "opentiger",
      invocation,
      context: undefined,
      // A verb that calls what the test did not give fails, which is what the test would want to know.
      connect: async () => backend as Backend,
      exitWith: (status) => {
        recorded.status = Math.max(recorded.status, status);
      },
    },
  };
  return recorded;
}
