import type { AgentName } from "@opentiger/schema";

const person = ["HOME", "USER", "LOGNAME", "SHELL", "PATH", "TMPDIR", "TZ"];
const screen = ["LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "NO_COLOR"];
/** Codex may keep its login in the desktop's keyring, which is behind its bus. */
const desktop = ["XDG_*", "DBUS_SESSION_BUS_ADDRESS"];
const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];
const trusted = [
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
];
const installed = [
  "NVM_DIR",
  "VOLTA_HOME",
  "PNPM_HOME",
  "BUN_INSTALL",
  "PYENV_ROOT",
  "GOPATH",
  "GOROOT",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "JAVA_HOME",
];

/** Who somebody is, where programs and their files are, and how they reach the network and trust it. */
const everybodys: readonly string[] = [
  person,
  screen,
  desktop,
  proxies,
  proxies.map((name) => name.toLowerCase()),
  trusted,
  installed,
].flat();

/** What an agent's own CLI looks for: its settings, and what it logs in with where nothing else is given to it. */
const ofAgent: Partial<Readonly<Record<AgentName, readonly string[]>>> = {
  claude: ["ANTHROPIC_*", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_*"],
  codex: ["OPENAI_*", "CODEX_*"],
  opencode: ["OPENCODE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
};

/**
 * The variables of ours that an agent on the host, and all that runs beside it, find in their environment; a star stands
 * for any end. `named` is the user's own list. What is ours alone, and keys of other agents, are not among them.
 */
export function hostVariables(agent: AgentName, named: string | null): string[] {
  const further = named?.split(/[\s,]+/).filter(Boolean) ?? [];
  return [...new Set([...everybodys, ...(ofAgent[agent] ?? []), ...further])];
}
