/** Where the models are that they ask. */
export const models = ["api.anthropic.com", "api.openai.com", "chatgpt.com"];

/** Shaped like the tokens of a login; nobody checks the signature. */
function token(claims: Record<string, unknown>): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const auth = { chatgpt_plan_type: "plus", chatgpt_account_id: "account-canary" };
  const body = {
    exp: Math.floor(Date.now() / 1000) + 86_400,
    "https://api.openai.com/auth": auth,
    ...claims,
  };
  return `${part({ alg: "RS256" })}.${part(body)}.canary-signature`;
}

const chatgpt = {
  access_token: token({ kind: "access" }),
  id_token: token({ kind: "id", email: "canary@example.com" }),
  refresh_token: "canary-refresh-token-0123456789",
  account_id: "account-canary",
};
const claudeToken = "sk-ant-oat01-canary-claude-0123456789";
const openaiKey = "sk-canary-openai-0123456789";
const anthropicKey = "sk-ant-api03-canary-anthropic-0123456789";

const codexFlags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];

function codex(prompt: string): string[] {
  return ["codex", "exec", ...codexFlags, prompt];
}

function claude(prompt: string): string[] {
  return ["claude", "-p", prompt, "--output-format", "text", "--dangerously-skip-permissions"];
}

/** Each on a secret of its own: what no place inside may hold, how it is told a prompt, and what the model's server has to see. */
export const agents = [
  {
    who: "claude with a setup token",
    agent: "claude",
    secrets: { claude_setup_token: claudeToken },
    canaries: [claudeToken],
    command: claude,
    host: "api.anthropic.com",
    route: "anthropic/v1",
    sees: `Bearer ${claudeToken}`,
  },
  {
    who: "codex with an API key",
    agent: "codex",
    secrets: { openai_api_key: openaiKey },
    canaries: [openaiKey],
    command: codex,
    host: "api.openai.com",
    route: "openai/v1",
    sees: `Bearer ${openaiKey}`,
  },
  {
    who: "codex with a ChatGPT login",
    agent: "codex",
    secrets: {
      codex_auth_json: JSON.stringify({
        auth_mode: "chatgpt",
        OPENAI_API_KEY: null,
        tokens: chatgpt,
        last_refresh: new Date().toISOString(),
      }),
    },
    canaries: [chatgpt.access_token, chatgpt.id_token, chatgpt.refresh_token],
    command: codex,
    host: "chatgpt.com",
    route: "chatgpt",
    sees: `Bearer ${chatgpt.access_token}`,
  },
  {
    who: "opencode with an API key",
    agent: "opencode",
    secrets: { anthropic_api_key: anthropicKey },
    canaries: [anthropicKey],
    command: (prompt: string) => ["opencode", "run", prompt],
    host: "api.anthropic.com",
    route: "anthropic/v1",
    sees: anthropicKey,
  },
];
