import { join } from "node:path";
import { socketFolder } from "@opentiger/sandbox";

/** Where sandboxd keeps what is its own, below the state folder; its socket where a socket's path is short enough. */
export function sandboxdPaths(stateFolder: string) {
  const folder = join(stateFolder, "sandboxd");
  return {
    folder,
    socket: join(socketFolder(stateFolder), "sandboxd.sock"),
    log: join(folder, "log"),
    networkLog: join(folder, "network-log"),
    gateway: join(folder, "gateway"),
    hostRuns: join(folder, "host-runs.json"),
    engines: join(folder, "engines.json"),
  };
}

export type SandboxdPaths = ReturnType<typeof sandboxdPaths>;
