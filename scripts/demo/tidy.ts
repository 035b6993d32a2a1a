import { rmSync } from "node:fs";
import { DispatcherClient, EmbeddedPostgres } from "@opentiger/orchestrator";
import { connectDocker, HostBackend, openState, socketFolder, stateFolder } from "@opentiger/sandbox";
import { Sandboxd } from "@opentiger/sandboxd";
import { ServerClient } from "@opentiger/server/control";

/** Stops everything of this instance. Returns what should not have been there any more. */
export async function leaveNothing(env: NodeJS.ProcessEnv): Promise<string[]> {
  const server = new ServerClient(env);
  server.noteDown();
  await server.stop();
  await new DispatcherClient(env).stop();
  const docker = await connectDocker({ env })
    .then((backend) => backend.reset())
    .catch(() => []);
  const host = await new HostBackend(openState(stateFolder(env))).reset();
  await new Sandboxd(env).stop();
  await new EmbeddedPostgres(env).remove();
  // It is elsewhere where the path of the state folder is long.
  rmSync(socketFolder(stateFolder(env)), { recursive: true, force: true });
  return [...docker, ...host].map((name) => `the sandbox ${name} was left behind`);
}
