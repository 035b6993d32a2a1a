import type { CredentialWay } from "./way.ts";

type Remedies = Readonly<Record<string, string>>;

const keys: Remedies = {
  claude: "set ANTHROPIC_API_KEY",
  codex: "set OPENAI_API_KEY",
  opencode: "set ANTHROPIC_API_KEY or OPENAI_API_KEY",
};

/** From which of the host's places each way takes a login. */
const logins: Readonly<Record<CredentialWay, Remedies>> = {
  broker: {
    claude: "run `claude setup-token` and `secrets add claude_setup_token`",
    codex: "run `codex login`, or `secrets add openai_api_key`",
    opencode: "run `secrets add anthropic_api_key`",
  },
  inject: {
    claude: "run `claude setup-token` and `secrets add claude_setup_token`",
    codex: "run `codex login` and `secrets add codex_auth_json < ~/.codex/auth.json`",
    opencode: "run `secrets add anthropic_api_key`",
  },
  mount: { claude: "run `claude` on this machine and log in", codex: "run `codex login`" },
  none: {},
};

/** What is to be done about an agent that has nothing to log in with; undefined where it needs nothing that we know. */
export function loginWarning(agent: string, way: CredentialWay): string | undefined {
  const remedy = [logins[way][agent], keys[agent]].filter((each) => each !== undefined).join(", or ");
  return remedy === "" ? undefined : `${agent} has nothing to log in with in this sandbox: ${remedy}`;
}
