import { type Backend, connectDocker, HostBackend, hostModeForced } from "@opentiger/sandbox";
import { outwardThrough, Sandboxd } from "@opentiger/sandboxd";

export interface BackendChoice {
  env: NodeJS.ProcessEnv;
  context: string | undefined;
  warn: (sentence: string) => void;
}

/**
 * The engine that docker itself would use: the named context, else `DOCKER_HOST`, else the current context. The host
 * itself only where the user said so; `create` then says what that means.
 */
export async function connectBackend({ env, context, warn }: BackendChoice): Promise<Backend> {
  if (hostModeForced(env)) return new HostBackend();
  const outward = outwardThrough(new Sandboxd(env), env, context);
  return connectDocker({ env, warn, outward, ...(context === undefined ? {} : { context }) });
}
