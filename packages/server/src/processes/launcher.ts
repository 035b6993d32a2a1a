import { DispatcherClient, rolesOfProcess, startDispatcher } from "@opentiger/orchestrator";

/** What is seen of a process that runs. */
export interface RunningProcess {
  pid: number;
  version: string;
  startedAt: string;
  /** Whether it works already. */
  ready: boolean;
  /** On how many stages. */
  working: number;
}

/** How processes are started and seen. They are nobody's children: whoever asks finds them by their names. */
export interface Launcher {
  /** Refuses a name that no process has. */
  check(name: string): void;
  /** undefined: none runs. */
  status(name: string): Promise<RunningProcess | undefined>;
  /** Returns at once. `ended` is called when it ends, if that is while we are here. */
  start(name: string, ended: () => void): void;
  /** Returns when it is gone. */
  stop(name: string): Promise<void>;
  /** The file that it writes to. */
  log(name: string): string;
}

/** The dispatcher, and in host mode those who claim beside it. */
export function dispatcherLauncher(env: NodeJS.ProcessEnv): Launcher {
  const client = (name: string) => new DispatcherClient(env, name);
  return {
    check: (name) => void rolesOfProcess(name),
    status: (name) => client(name).status(),
    start: (name, ended) => void startDispatcher(env, client(name).paths, name).once("close", ended),
    stop: async (name) => void (await client(name).stop()),
    log: (name) => client(name).paths.log,
  };
}
