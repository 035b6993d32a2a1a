import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { atEnd } from "./at-end.ts";

const bundle = fileURLToPath(new URL("../../packages/orchestrator/dist/dispatcher.js", import.meta.url));

/** The dispatcher as a process, which a test may kill. */
export interface RunningDispatcher {
  readonly pid: number;
  /** kill -9, and at once another one. */
  killAndStart(): Promise<void>;
  kill(): Promise<void>;
  /** Stops it where it is, without its knowing, until it is woken. */
  freeze(): void;
  wake(): void;
  stop(): Promise<void>;
}

export function runningDispatcher(env: NodeJS.ProcessEnv, words: readonly string[] = []): RunningDispatcher {
  let child = start(env, words);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  atEnd(() => end("SIGKILL"));
  return {
    get pid() {
      return child.pid ?? 0;
    },
    kill: () => end("SIGKILL"),
    freeze: () => void child.kill("SIGSTOP"),
    wake: () => void child.kill("SIGCONT"),
    killAndStart: async () => {
      await end("SIGKILL");
      child = start(env, words);
    },
    stop: () => end("SIGTERM"),
  };
}

function start(env: NodeJS.ProcessEnv, words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [bundle, ...words], { env, stdio: ["ignore", "inherit", "inherit"] });
}
