import type { Sandbox } from "@opentiger/sandbox";
import { giveCredentials, loginRemedy, withCredentials } from "@opentiger/sandboxd";
import type { Place } from "../place.ts";

export interface Authenticated {
  /** false: there is nothing for its agent to log in with. */
  given: boolean;
  /** What is to be done then. */
  remedy: string | undefined;
}

/**
 * Gives a sandbox what its agent logs in with, in the way that is configured. Where there is nothing, the log says so
 * with the remedy, and the agent's run is going to fail for it: contract A13.
 */
export async function authenticate(
  place: Pick<Place, "config" | "env" | "log">,
  sandbox: Sandbox,
): Promise<Authenticated> {
  const way = place.config.get("SANDBOX_CREDENTIALS");
  const { given, trouble } = await giveCredentials(sandbox, way, place.env);
  if (given) return { given, remedy: undefined };
  const remedy = loginRemedy(sandbox.agent, way, sandbox.backend === "host" ? "host" : "sandbox");
  if (remedy !== undefined)
    place.log(
      `warning: ${trouble ?? `${sandbox.agent} has nothing to log in with in ${sandbox.name}`}: ${remedy}`,
    );
  return { given, remedy };
}

/** What the agent finds in its environment of it. On the host it has the user's own. */
export async function credentialEnvironment(
  { config, env }: Pick<Place, "config" | "env">,
  sandbox: Sandbox,
): Promise<Record<string, string>> {
  if (sandbox.backend === "host") return ownEnvironment(env);
  return withCredentials(sandbox, {}, { ...env, SANDBOX_CREDENTIALS: config.get("SANDBOX_CREDENTIALS") });
}

/** Where programs and their settings are found, as for whoever started us. */
function ownEnvironment({ PATH, HOME }: NodeJS.ProcessEnv): Record<string, string> {
  return { ...(PATH === undefined ? {} : { PATH }), ...(HOME === undefined ? {} : { HOME }) };
}
