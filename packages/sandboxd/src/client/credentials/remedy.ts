import type { CredentialWay } from "./way.ts";

type Remedies = Readonly<Record<string, string>>;

/** Where an agent runs, for what it can log in with. */
export type LoginPlace = "host" | "sandbox";

const keys: Remedies = {
  claude: "set ANTHROPIC_API_KEY",
  codex: "set OPENAI_API_KEY",
  opencode: "set ANTHROPIC_API_KEY or OPENAI_API_KEY",
};

/** From which of the host's places each way takes a login. */
const logins: Readonly<Record<CredentialWay, Remedies>> = {
  broker: {
    claude: "run `claude setup-token` and `opentiger secrets add claude_setup_token`",
    codex: "run `codex login`, or `opentiger secrets add openai_api_key`",
    opencode: "run `opentiger secrets add anthropic_api_key`",
  },
  inject: {
    claude: "run `claude setup-token` and `opentiger secrets add claude_setup_token`",
    codex: "run `codex login` and `opentiger secrets add codex_auth_json < ~/.codex/auth.json`",
    opencode: "run `opentiger secrets add anthropic_api_key`",
  },
  mount: { claude: "run `claude` on this machine and log in", codex: "run `codex login`" },
  none: {},
};

/** On the host an agent that is not brokered has what the user has. Codex looks for its own variable there. */
const onHost: Remedies = {
  claude: "run `claude` on this machine and log in, or set ANTHROPIC_API_KEY",
  codex: "run `codex login`, or set CODEX_API_KEY",
  opencode: "run `opencode auth login`, or set ANTHROPIC_API_KEY or OPENAI_API_KEY",
};

/** What is to be done about an agent that has nothing to log in with; undefined where it needs nothing that we know. */
export function loginRemedy(agent: string, way: CredentialWay, place: LoginPlace): string | undefined {
  if (place === "host" && way !== "broker") return onHost[agent];
  const remedy = [logins[way][agent], keys[agent]].filter((each) => each !== undefined).join(", or ");
  return remedy === "" ? undefined : remedy;
}

/** The same as a sentence for who makes a sandbox. */
export function loginWarning(agent: string, way: CredentialWay): string | undefined {
  const remedy = loginRemedy(agent, way, "sandbox");
  return remedy && `${agent} has nothing to log in with in this sandbox: ${remedy}`;
}
