import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Provider } from "../routes/provider.ts";
import { type Billing, billingOf, type CredentialKind } from "./credential.ts";

/** Somewhere a credential may be found. */
export interface SourceFacts {
  provider: Provider;
  kind: CredentialKind;
  from:
    | { place: "vault"; secret: string }
    | { place: "login"; path: string; lock: string | undefined }
    | { place: "codex-key"; path: string }
    | { place: "variable"; name: string }
    /** The same variable, as whoever made this sandbox had it. */
    | { place: "given"; name: string; sandboxId: string; sandboxName: string };
}

/** In the order in which they are tried: a subscription before an API key. */
export function sourcesFor(env: NodeJS.ProcessEnv): SourceFacts[] {
  const home = env["HOME"] || homedir();
  const claude = join(env["CLAUDE_AUTH_DIR"] || join(home, ".claude"), ".credentials.json");
  const codex = join(env["CODEX_AUTH_DIR"] || join(home, ".codex"), "auth.json");
  const [codexLogin, codexKey] = codexFile(codex);
  return [
    ...vaultSources("claude_setup_token"),
    claudeFile(claude),
    ...vaultSources("anthropic_api_key"),
    {
      provider: "anthropic",
      kind: "anthropic_api_key",
      from: { place: "variable", name: "ANTHROPIC_API_KEY" },
    },
    ...vaultSources("codex_auth_json"),
    codexLogin,
    ...vaultSources("openai_api_key"),
    { provider: "openai", kind: "openai_api_key", from: { place: "variable", name: "OPENAI_API_KEY" } },
    { provider: "openai", kind: "openai_api_key", from: { place: "variable", name: "CODEX_API_KEY" } },
    codexKey,
  ];
}

/** A secret of the vault as the credential that it is; nothing for one that is none. */
export function vaultSources(secret: string): SourceFacts[] {
  const known = vaultSecrets[secret];
  return known ? [{ ...known, from: { place: "vault", secret } }] : [];
}

const vaultSecrets: Readonly<Record<string, Pick<SourceFacts, "provider" | "kind">>> = {
  claude_setup_token: { provider: "anthropic", kind: "claude_setup_token" },
  anthropic_api_key: { provider: "anthropic", kind: "anthropic_api_key" },
  codex_auth_json: { provider: "chatgpt", kind: "chatgpt_login" },
  openai_api_key: { provider: "openai", kind: "openai_api_key" },
};

/** What a file in which a CLI keeps its login may be. */
export function sourceOfFile(cli: "claude" | "codex", path: string): SourceFacts[] {
  return cli === "claude" ? [claudeFile(path)] : [...codexFile(path)];
}

function claudeFile(path: string): SourceFacts {
  const lock = join(dirname(path), ".oauth_refresh.lock");
  return { provider: "anthropic", kind: "claude_login", from: { place: "login", path, lock } };
}

function codexFile(path: string): [SourceFacts, SourceFacts] {
  return [
    { provider: "chatgpt", kind: "chatgpt_login", from: { place: "login", path, lock: undefined } },
    { provider: "openai", kind: "openai_api_key", from: { place: "codex-key", path } },
  ];
}

/** For people, and for the grant; no two sources have the same. */
export function originOf({ from }: SourceFacts): string {
  if (from.place === "vault") return `secret ${from.secret}`;
  if (from.place === "variable") return `variable ${from.name}`;
  if (from.place === "given") return `variable ${from.name}, given with ${from.sandboxName}`;
  return from.path;
}

/** The variable of which an origin says that it was given with a sandbox. */
export function givenVariable(origin: string | undefined): string | undefined {
  return /^variable (\w+), given with /.exec(origin ?? "")?.[1];
}

/**
 * Who sends an API key's header means an API key: some CLIs may not be used with a Claude subscription. Where there
 * is none, whatever there is.
 */
export function preferred(sources: readonly SourceFacts[], billing: Billing | undefined): SourceFacts[] {
  if (billing === undefined) return [...sources];
  const wanted = ({ kind }: SourceFacts) => billingOf(kind) === billing;
  return [...sources.filter(wanted), ...sources.filter((source) => !wanted(source))];
}
