import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { atEnd } from "./at-end.ts";

const bundle = fileURLToPath(new URL("../../packages/orchestrator/dist/dispatcher.js", import.meta.url));

/** The dispatcher as a process, which a test may kill. */
export interface RunningDispatcher {
  /** kill -9, and at once another one. */
  killAndStart(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export function runningDispatcher(env: NodeJS.ProcessEnv): RunningDispatcher {
  let child = start(env);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  atEnd(() => end("SIGKILL"));
  return {
    kill: () => end("SIGKILL"),
    killAndStart: async () => {
      await end("SIGKILL");
      child = start(env);
    },
    stop: () => end("SIGTERM"),
  };
}

function start(env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, [bundle], { env, stdio: ["ignore", "inherit", "inherit"] });
}
