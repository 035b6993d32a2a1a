import { join } from "node:path";
import { defaultHome } from "@opentiger/sandbox";
import type { LoginCandidate, ProofRequest } from "../../gateway/logins/proof.ts";
import type { BrokeredAgent } from "../../gateway/placeholders/placeholders.ts";
import { providerFacts, providers } from "../../gateway/routes/provider.ts";
import { loginFiles } from "./mount.ts";
import { opencodeKeys } from "./opencode-keys.ts";
import type { LoginPlace } from "./remedy.ts";
import type { CredentialWay } from "./way.ts";

export interface LoginAsked {
  agent: BrokeredAgent;
  place: LoginPlace;
  way: CredentialWay;
  /** Of the asker: variables and folders are those that its agents would see. */
  env: NodeJS.ProcessEnv;
}

type Groups = LoginCandidate[][];

/** Where the login of an agent is looked for, as it would be if the agent were started there now. */
export function loginQuestion(asked: LoginAsked): ProofRequest {
  const { place, way, env } = asked;
  if (way === "broker") return { groups: place === "sandbox" ? withKeys(asked) : brokered[asked.agent] };
  const upstreams = Object.fromEntries(
    providers.flatMap((provider) => {
      const url = env[providerFacts[provider].variable];
      return url ? [[provider, url]] : [];
    }),
  );
  if (place === "host") return { groups: onHost(asked), upstreams };
  return { groups: inSandbox(asked), upstreams };
}

/** A subscription of Claude's is for Claude Code: OpenCode asks with keys, and has the choice of two APIs. */
const brokered: Readonly<Record<BrokeredAgent, Groups>> = {
  claude: [[{ from: "gateway", provider: "anthropic" }]],
  codex: [
    [
      { from: "gateway", provider: "chatgpt" },
      { from: "gateway", provider: "openai" },
    ],
  ],
  opencode: [
    [{ from: "gateway", provider: "anthropic", billing: "api_key" }],
    [{ from: "gateway", provider: "openai" }],
  ],
};

/** A sandbox is given the asker's keys where the gateway has nothing itself. */
function withKeys({ agent, env }: LoginAsked): Groups {
  const keys = { anthropic: claudeKeys(env), chatgpt: openaiKeys(env), openai: openaiKeys(env) };
  return brokered[agent].map((group) => [
    ...group,
    ...group.slice(-1).flatMap((last) => (last.from === "gateway" ? keys[last.provider] : [])),
  ]);
}

function claudeKeys(env: NodeJS.ProcessEnv): LoginCandidate[] {
  return variables(env, "anthropic_api_key", ["ANTHROPIC_API_KEY"]);
}

function openaiKeys(env: NodeJS.ProcessEnv): LoginCandidate[] {
  return variables(env, "openai_api_key", ["OPENAI_API_KEY", "CODEX_API_KEY"]);
}

function inSandbox({ agent, way, env }: LoginAsked): Groups {
  const claudeKey = claudeKeys(env);
  const openaiKey = openaiKeys(env);
  if (way === "mount") {
    const files = loginFiles(agent, env);
    if (agent === "claude")
      return [[...files.map((path) => ({ from: "claude-login", path }) as const), ...claudeKey]];
    if (agent === "codex")
      return [[...files.map((path) => ({ from: "codex-login", path }) as const), ...openaiKey]];
    return [claudeKey, openaiKey];
  }
  if (way !== "inject") return [];
  const anthropic: LoginCandidate[] = [{ from: "vault", secret: "anthropic_api_key" }, ...claudeKey];
  const openai: LoginCandidate[] = [{ from: "vault", secret: "openai_api_key" }, ...openaiKey];
  if (agent === "opencode") return [anthropic, openai];
  if (agent === "codex") return [[{ from: "vault", secret: "codex_auth_json" }, ...openai]];
  const token = variables(env, "claude_setup_token", ["CLAUDE_CODE_OAUTH_TOKEN"]);
  const [stored, ...others] = anthropic;
  return [
    [{ from: "vault", secret: "claude_setup_token" }, ...(stored ? [stored] : []), ...token, ...others],
  ];
}

/** What each CLI takes first where it finds several, as tried. */
function onHost({ agent, env }: LoginAsked): Groups {
  const home = defaultHome(env);
  if (agent === "codex") {
    const path = join(env["CODEX_HOME"] || join(home, ".codex"), "auth.json");
    return [[...variables(env, "openai_api_key", ["CODEX_API_KEY"]), { from: "codex-login", path }]];
  }
  const key = variables(env, "anthropic_api_key", ["ANTHROPIC_API_KEY"]);
  if (agent === "opencode") {
    const own = opencodeKeys(env);
    const openai = variables(env, "openai_api_key", ["OPENAI_API_KEY"]);
    return [
      [...own.anthropic, ...key],
      [...own.openai, ...openai],
    ];
  }
  // It goes before everything, and to wherever the user sends it: nothing that we could ask knows it.
  if (env["ANTHROPIC_AUTH_TOKEN"]) return [];
  const token = variables(env, "claude_setup_token", ["CLAUDE_CODE_OAUTH_TOKEN"]);
  const path = join(env["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), ".credentials.json");
  return [[...key, ...token, { from: "claude-login", path }]];
}

function variables(
  env: NodeJS.ProcessEnv,
  kind: Extract<LoginCandidate, { from: "value" }>["kind"],
  names: readonly string[],
): LoginCandidate[] {
  return names.flatMap((name) => {
    const value = env[name]?.trim();
    return value ? [{ from: "value", kind, origin: `variable ${name}`, value }] : [];
  });
}
