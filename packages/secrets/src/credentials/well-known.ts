export type SecretKind = "subscription" | "api_key" | "token" | "other";

export interface WellKnownSecret {
  name: string;
  kind: Exclude<SecretKind, "other">;
  /** What its value looks like: a token on one line, or the file that Codex keeps its login in. */
  form: "line" | "codex-login";
  /** What a person calls it. */
  title: string;
  /** In which a CLI looks for it. None where it is a file. */
  variables: readonly string[];
  /** How long a value lives from when it was made; undefined where that is not known. */
  lifetimeDays: number | undefined;
  /** The command that gives a new value, where there is one. */
  source: string | undefined;
  /** How the value is handed to `opentiger secrets add` or `opentiger secrets update`. */
  input: string;
}

/** Everything the vault knows about secrets that it knows by name. */
export const wellKnownSecrets = [
  {
    name: "claude_setup_token",
    kind: "subscription",
    form: "line",
    title: "Claude subscription",
    variables: ["CLAUDE_CODE_OAUTH_TOKEN"],
    lifetimeDays: 365,
    source: "claude setup-token",
    input: "",
  },
  {
    name: "codex_auth_json",
    kind: "subscription",
    form: "codex-login",
    title: "ChatGPT login of Codex",
    variables: [],
    lifetimeDays: undefined,
    source: "codex login",
    input: " < ~/.codex/auth.json",
  },
  {
    name: "anthropic_api_key",
    kind: "api_key",
    form: "line",
    title: "Anthropic API key",
    variables: ["ANTHROPIC_API_KEY"],
    lifetimeDays: undefined,
    source: undefined,
    input: "",
  },
  {
    name: "openai_api_key",
    kind: "api_key",
    form: "line",
    title: "OpenAI API key",
    variables: ["OPENAI_API_KEY", "CODEX_API_KEY"],
    lifetimeDays: undefined,
    source: undefined,
    input: "",
  },
  {
    name: "github_token",
    kind: "token",
    form: "line",
    title: "GitHub token",
    variables: ["GITHUB_TOKEN"],
    lifetimeDays: undefined,
    source: undefined,
    input: "",
  },
] as const satisfies readonly WellKnownSecret[];

export type WellKnownName = (typeof wellKnownSecrets)[number]["name"];

/** For whom a credential is: the first of these that the vault holds is used, a subscription before an API key. */
export const credentialOrder = {
  anthropic: ["claude_setup_token", "anthropic_api_key"],
  openai: ["codex_auth_json", "openai_api_key"],
} as const satisfies Record<string, readonly WellKnownName[]>;

export type Provider = keyof typeof credentialOrder;

export const providers = ["anthropic", "openai"] as const satisfies readonly Provider[];

/**
 * Which secret a provider's requests are made with. By presence alone: when a subscription has run out, an API key is
 * not spent in its place without being asked for.
 */
export function credentialFor(provider: Provider, held: Iterable<string>): WellKnownName | undefined {
  const names = new Set(held);
  return credentialOrder[provider].find((name) => names.has(name));
}

export function wellKnownSecret(name: string): WellKnownSecret | undefined {
  return wellKnownSecrets.find((known) => known.name === name);
}

/** The commands that put a new value in, one after the other. */
export function renewal(name: string, verb: "add" | "update"): string[] {
  const known = wellKnownSecret(name);
  const store = `opentiger secrets ${verb} ${name}${known?.input ?? ""}`;
  return known?.source ? [known.source, store] : [store];
}
