import { type LoopCredentials, SandboxError, useLoopSurroundings } from "@opentiger/sandbox";
import { Sandboxd } from "./client.ts";
import { creationCredentials, giveCredentials, withCredentials } from "./credentials/give.ts";
import { loginWarning } from "./credentials/remedy.ts";
import { credentialWay, credentialWays } from "./credentials/way.ts";
import { beginHostRun } from "./host-run.ts";
import { withHostServices } from "./host-services.ts";
import { outwardThrough } from "./outward.ts";

export interface LoopPlugs {
  /** Told when an agent has nothing to log in with. Default: a line on stderr. */
  warn?: (message: string) => void;
}

/**
 * Gives the loop helpers of @opentiger/sandbox what they lack by themselves: a network through sandboxd, and
 * credentials in the way that `SANDBOX_CREDENTIALS` says.
 */
export function plugLoops(
  env: NodeJS.ProcessEnv = process.env,
  { warn = warnOnStderr }: LoopPlugs = {},
): void {
  const way = credentialWay(env);
  if (!way) {
    throw new SandboxError("usage", `SANDBOX_CREDENTIALS=${env["SANDBOX_CREDENTIALS"]} is not a way`, {
      remedy: `use one of ${credentialWays.join(", ")}`,
    });
  }
  const sandboxd = new Sandboxd(env);
  const credentials: LoopCredentials = {
    creation: () => creationCredentials(way, env),
    prepare: async (sandbox, tool) => {
      const { given, trouble } = await giveCredentials(sandbox, way, env);
      const warning = trouble ?? (given ? undefined : loginWarning(tool, way));
      if (warning) warn(warning);
    },
    environment: async (sandbox, given) =>
      withCredentials(sandbox, await withHostServices(sandbox, given, env), env),
    // In the other ways the agent has the user's own login there already.
    ...(way === "broker" ? { hostRun: (run) => beginHostRun(sandboxd, run) } : {}),
  };
  useLoopSurroundings({ credentials, outward: outwardThrough(sandboxd, env, undefined) });
}

function warnOnStderr(message: string): void {
  process.stderr.write(`warning: ${message}\n`);
}
