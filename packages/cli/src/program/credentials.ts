import type { Sandbox } from "@opentiger/sandbox";
import {
  brokerCredentials,
  type CredentialWay,
  credentialWay,
  credentialWays,
  Sandboxd,
} from "@opentiger/sandboxd";
import { UsageError } from "../errors.ts";
import { coloursFor } from "../output/colours.ts";
import type { Surroundings } from "./surroundings.ts";

/** What an agent needs to log in with, and how to come by it. */
const remedies: Readonly<Record<string, string>> = {
  claude: "run `claude setup-token` and `secrets add claude_setup_token`, or set ANTHROPIC_API_KEY",
  codex: "run `codex login`, or `secrets add openai_api_key`, or set OPENAI_API_KEY",
  opencode: "run `secrets add anthropic_api_key`, or set ANTHROPIC_API_KEY or OPENAI_API_KEY",
};

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
 * it would only fail later.
 */
export async function giveCredentials(
  sandbox: Pick<Sandbox, "name" | "agent" | "backend">,
  way: CredentialWay,
  { env, stderr }: Pick<Surroundings, "env" | "stderr">,
): Promise<void> {
  if (way !== "broker" || sandbox.backend === "host") return;
  const { given, trouble } = await brokerCredentials(new Sandboxd(env), sandbox.name);
  const note = coloursFor(stderr, env).yellow("note:");
  const remedy = remedies[sandbox.agent];
  if (trouble) stderr.write(`${note} ${trouble}\n`);
  else if (!given && remedy) {
    stderr.write(`${note} ${sandbox.agent} has nothing to log in with in this sandbox: ${remedy}\n`);
  }
}
