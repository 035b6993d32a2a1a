import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { boundLog } from "../state/postgres/log-file.ts";

export interface DetachedProgram {
  /** Its file, for the node that runs us. */
  bundle: string;
  words?: readonly string[];
  env: NodeJS.ProcessEnv;
  log: string;
}

/** A process of its own, in a session of its own, that writes to a file: nothing of its starter's ends it. */
export function startDetached({ bundle, words = [], env, log }: DetachedProgram): ChildProcess {
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  boundLog(log);
  const file = openSync(log, "a", 0o600);
  try {
    const child = spawn(process.execPath, [bundle, ...words], {
      cwd: "/",
      env,
      stdio: ["ignore", file, file],
      detached: true,
    });
    // It is missed by whoever waits for its answer.
    child.once("error", () => {});
    child.unref();
    return child;
  } finally {
    closeSync(file);
  }
}
