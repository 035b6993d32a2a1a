import { DispatcherClient, rolesOfProcess, startDispatcher } from "@opentiger/orchestrator";
import type { Sandboxd } from "@opentiger/sandboxd";

/** What is seen of a process that runs. */
export interface RunningProcess {
  pid: number;
  version: string;
  startedAt: string;
  /** Whether it works already. */
  ready: boolean;
  /** On how many stages; sandboxd has none. */
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

/** The name of the daemon among those that are looked after. */
export const sandboxdName = "sandboxd";

/** Everything that an instance needs: the way out of its sandboxes, and those who claim. */
export function instanceLauncher(env: NodeJS.ProcessEnv, sandboxd: Sandboxd): Launcher {
  const claimers = dispatcherLauncher(env);
  const daemon = sandboxdLauncher(sandboxd);
  const of = (name: string) => (name === sandboxdName ? daemon : claimers);
  return {
    check: (name) => of(name).check(name),
    status: (name) => of(name).status(name),
    start: (name, ended) => of(name).start(name, ended),
    stop: (name) => of(name).stop(name),
    log: (name) => of(name).log(name),
  };
}

/** Others start it too, when they need it: whoever comes second finds it. */
function sandboxdLauncher(sandboxd: Sandboxd): Launcher {
  return {
    check: () => {},
    status: async () => {
      const status = await sandboxd.status();
      return status && { ...status, ready: true, working: 0 };
    },
    start: (_name, ended) => void sandboxd.ensure().catch(ended),
    stop: async () => void (await sandboxd.stop()),
    log: () => sandboxd.paths.log,
  };
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
