import { DispatcherClient, EmbeddedPostgres } from "@opentiger/orchestrator";
import { HostBackend, openState, stateFolder } from "@opentiger/sandbox";
import { Sandboxd } from "@opentiger/sandboxd";
import { ServerClient } from "../../packages/server/src/control/index.ts";

/**
 * Ends everything of an instance that a test started by the command line. What its loops have on the host outlives
 * `down`, as it should, and is the test's to end.
 */
export async function endInstance(env: NodeJS.ProcessEnv): Promise<void> {
  await new ServerClient(env).stop();
  await new DispatcherClient(env).stop();
  await new HostBackend(openState(stateFolder(env))).reset();
  await new Sandboxd(env).stop();
  await new EmbeddedPostgres(env).remove();
}
