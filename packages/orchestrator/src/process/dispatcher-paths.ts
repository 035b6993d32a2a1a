import { join } from "node:path";
import { socketFolder } from "@opentiger/sandbox";
import { dispatcherName } from "./process-name.ts";

/** Where a dispatcher, or another process that claims, keeps what is its own; one of each name an instance. */
export function dispatcherPaths(stateFolder: string, name: string = dispatcherName) {
  const folder = join(stateFolder, "dispatcher");
  return {
    folder,
    /** Whoever has it is the one. */
    socket: join(socketFolder(stateFolder), `${name}.sock`),
    log: join(folder, `${name}.log`),
  };
}

export type DispatcherPaths = ReturnType<typeof dispatcherPaths>;
