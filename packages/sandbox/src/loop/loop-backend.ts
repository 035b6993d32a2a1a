import { connectDocker } from "../backends/docker/docker-backend.ts";
import { HostBackend } from "../backends/host/host-backend.ts";
import type { Backend } from "../sandbox.ts";
import { loopOutward } from "./loop-surroundings.ts";

/** `AGENT_LOOP_HOST=1` is the user's word that commands may run on the host; nothing else chooses host mode here. */
export function hostModeForced(env: NodeJS.ProcessEnv = process.env): boolean {
  return env["AGENT_LOOP_HOST"] === "1";
}

/** Docker, unless the user forced host mode. Without Docker that is an error with its remedy, not a silent host run. */
export async function loopBackend(): Promise<Backend> {
  if (hostModeForced()) return new HostBackend();
  const outward = loopOutward();
  return connectDocker(outward ? { outward } : {});
}
