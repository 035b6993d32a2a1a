import { homedir } from "node:os";
import { join } from "node:path";
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
    | { place: "variable"; name: string };
}

/** In the order in which they are tried: a subscription before an API key. */
export function sourcesFor(env: NodeJS.ProcessEnv): SourceFacts[] {
  const home = env["HOME"] || homedir();
  const claude = env["CLAUDE_AUTH_DIR"] || join(home, ".claude");
  const codex = join(env["CODEX_AUTH_DIR"] || join(home, ".codex"), "auth.json");
  const claudeLogin = { path: join(claude, ".credentials.json"), lock: join(claude, ".oauth_refresh.lock") };
  return [
    {
      provider: "anthropic",
      kind: "claude_setup_token",
      from: { place: "vault", secret: "claude_setup_token" },
    },
    { provider: "anthropic", kind: "claude_login", from: { place: "login", ...claudeLogin } },
    {
      provider: "anthropic",
      kind: "anthropic_api_key",
      from: { place: "vault", secret: "anthropic_api_key" },
    },
    {
      provider: "anthropic",
      kind: "anthropic_api_key",
      from: { place: "variable", name: "ANTHROPIC_API_KEY" },
    },
    { provider: "chatgpt", kind: "chatgpt_login", from: { place: "vault", secret: "codex_auth_json" } },
    { provider: "chatgpt", kind: "chatgpt_login", from: { place: "login", path: codex, lock: undefined } },
    { provider: "openai", kind: "openai_api_key", from: { place: "vault", secret: "openai_api_key" } },
    { provider: "openai", kind: "openai_api_key", from: { place: "variable", name: "OPENAI_API_KEY" } },
    { provider: "openai", kind: "openai_api_key", from: { place: "variable", name: "CODEX_API_KEY" } },
    { provider: "openai", kind: "openai_api_key", from: { place: "codex-key", path: codex } },
  ];
}

/** For people, and for the grant; no two sources have the same. */
export function originOf({ from }: SourceFacts): string {
  if (from.place === "vault") return `secret ${from.secret}`;
  if (from.place === "variable") return `variable ${from.name}`;
  return from.path;
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
