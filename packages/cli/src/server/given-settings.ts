import { DispatcherClient, OrchestratorError, readFlags, withFlags } from "@opentiger/orchestrator";
import { ServerClient } from "@opentiger/server/control";
import { claimerNames } from "./take-down.ts";

/** The environment for a server that is given these settings, each KEY=VALUE; refuses what is not one. */
export function withGivenSettings(env: NodeJS.ProcessEnv, given: readonly string[]): NodeJS.ProcessEnv {
  return withFlags(env, readFlags(given));
}

/** This environment, with what the server that runs was given: commands and what they start go by the same settings. */
export async function withServerFlags(env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  return withFlags(env, await new ServerClient(env).flags());
}

/** What the environment of the server that runs decides is not in force because it is stored from another shell. */
export async function refusePinned(env: NodeJS.ProcessEnv, key: string): Promise<void> {
  const [, variable] =
    Object.entries(await new ServerClient(env).pins()).find(([name]) => name === key) ?? [];
  if (variable === undefined) return;
  throw new OrchestratorError(
    "config_pinned",
    `${key} is set by the environment variable ${variable} of the server that runs, which is stronger than what is stored`,
    { remedy: `opentiger down, then opentiger up where ${variable} is not set; agents go on meanwhile` },
  );
}

/**
 * What runs has the settings with which it was started, and takes no others: a server, and also a dispatcher that another
 * server left, which the next one adopts as it is.
 */
export async function refuseUntakenSettings(env: NodeJS.ProcessEnv): Promise<void> {
  if (await new ServerClient(env).status()) throw untaken("openTiger");
  for (const name of claimerNames(env))
    if (await new DispatcherClient(env, name).status()) throw untaken(`a ${name}`);
}

export function untaken(who: string): OrchestratorError {
  return new OrchestratorError(
    "not_allowed_now",
    `${who} runs already: the settings of --set were not taken`,
    {
      remedy: "store them with `opentiger config set`, or say `opentiger down` first; agents go on meanwhile",
    },
  );
}
