import { stateFolder } from "@opentiger/sandbox";
import { stageRole } from "@opentiger/schema";
import { z } from "zod";
import { type DispatcherPaths, dispatcherPaths } from "./dispatcher-paths.ts";
import { ProcessClient, processStatus } from "./process-client.ts";
import { dispatcherName } from "./process-name.ts";

/** Ready is one that has its database, and claims. */
export const dispatcherStatus = processStatus.extend({
  name: z.string(),
  roles: z.array(stageRole),
  /** On how many stages it works. */
  working: z.number().int(),
});
export type DispatcherStatus = z.infer<typeof dispatcherStatus>;

/** The dispatcher of an instance, or another process that claims, as others see it. */
export class DispatcherClient extends ProcessClient<DispatcherStatus> {
  readonly paths: DispatcherPaths;

  constructor(env: NodeJS.ProcessEnv = process.env, name: string = dispatcherName) {
    const paths = dispatcherPaths(stateFolder(env), name);
    super({ name, socket: paths.socket, log: paths.log, shape: dispatcherStatus });
    this.paths = paths;
  }
}
