import type { Sandbox } from "@opentiger/sandbox";
import {
  type CredentialWay,
  credentialWay,
  credentialWays,
  giveCredentials,
  loginWarning,
} from "@opentiger/sandboxd";
import { UsageError } from "../errors.ts";
import { coloursFor } from "../output/colours.ts";
import type { Surroundings } from "./surroundings.ts";

/** The way that `SANDBOX_CREDENTIALS` says; asked before anything is made. */
export function chosenWay({ env }: Pick<Surroundings, "env">): CredentialWay {
  const way = credentialWay(env);
  if (way) return way;
  const known = credentialWays.join(", ");
  throw new UsageError(
    `SANDBOX_CREDENTIALS=${env["SANDBOX_CREDENTIALS"]} is not a way`,
    `Use one of ${known}.`,
  );
}

/**
 * Gives a new sandbox the use of this machine's credentials. An agent that has none is told of at once, with the remedy:
 * it would only fail later. The sandbox is made by now, and stays whatever comes of this.
 */
export async function credentialsFor(
  sandbox: Sandbox,
  way: CredentialWay,
  { env, stderr, invocation }: Pick<Surroundings, "env" | "stderr" | "invocation">,
): Promise<void> {
  const warning = await giveCredentials(sandbox, way, env).then(
    ({ given, trouble }) => trouble ?? (given ? undefined : loginWarning(sandbox.agent, way)),
    (error: unknown) =>
      `${sandbox.name} was given no credentials: ${error instanceof Error ? error.message : String(error)}. ` +
      `Try again: ${invocation} auth ${sandbox.name} --grant`,
  );
  if (warning) stderr.write(`${coloursFor(stderr, env).yellow("note:")} ${warning}\n`);
}
