import { codexLogin } from "./credentials/codex-login.ts";
import { expiryWarning, type SecretState, type SecretSummary, summaryOf } from "./credentials/expiry.ts";
import {
  credentialFor,
  credentialOrder,
  type Provider,
  providers,
  renewal,
  type WellKnownName,
  wellKnownSecrets,
} from "./credentials/well-known.ts";
import { bytesOf, type Secret } from "./secrets/secret.ts";

export interface VaultStatus {
  folder: string;
  keyFile: string;
  liveLeases: number;
  /** The well-known ones first, whether there or not; then the user's own. */
  secrets: SecretStatus[];
  providers: ProviderStatus[];
  warnings: VaultWarning[];
}

export type SecretStatus =
  | (SecretSummary & { login?: LoginStatus })
  | { name: WellKnownName; kind: SecretSummary["kind"]; state: "missing"; remedy: string[] };

/** What Codex's login file says of itself. */
export interface LoginStatus {
  lastRefresh: string | null;
  accessTokenExpiresAt: string | null;
}

export interface ProviderStatus {
  provider: Provider;
  /** The secret its requests are made with; null when there is none. */
  uses: WellKnownName | null;
  /** The commands that would put in the one that is tried first; empty when there is one. */
  remedy: string[];
}

export interface VaultWarning {
  secret: string;
  state: SecretState;
  message: string;
  /** The commands that mend it, one after the other. */
  remedy: string[];
}

export function statusOf(
  secrets: readonly Secret[],
  now: Date,
): Pick<VaultStatus, "secrets" | "providers" | "warnings"> {
  const held = new Map(secrets.map((secret) => [secret.name, secret]));
  const known = wellKnownSecrets.map((each) => {
    const secret = held.get(each.name);
    return secret ? present(secret, now) : missing(each);
  });
  const own = secrets.filter(({ name }) => !wellKnownSecrets.some((each) => each.name === name));
  const shown = [...known, ...own.map((secret) => present(secret, now))];
  return {
    secrets: shown,
    providers: providers.map((provider) => providerStatus(provider, held.keys())),
    warnings: shown.flatMap((status) => warningsOf(status, now)),
  };
}

function present(secret: Secret, now: Date): SecretStatus {
  const summary = summaryOf(secret, now);
  const login = secret.name === "codex_auth_json" ? codexLogin(bytesOf(secret)) : undefined;
  if (!login) return summary;
  const { lastRefresh, accessTokenExpiresAt } = login;
  return {
    ...summary,
    login: {
      lastRefresh: lastRefresh?.toISOString() ?? null,
      accessTokenExpiresAt: accessTokenExpiresAt?.toISOString() ?? null,
    },
  };
}

function missing({ name, kind }: (typeof wellKnownSecrets)[number]): SecretStatus {
  return { name, kind, state: "missing", remedy: renewal(name, "add") };
}

function providerStatus(provider: Provider, held: Iterable<string>): ProviderStatus {
  const uses = credentialFor(provider, held) ?? null;
  return { provider, uses, remedy: uses ? [] : renewal(credentialOrder[provider][0], "add") };
}

function warningsOf(status: SecretStatus, now: Date): VaultWarning[] {
  if (status.state === "missing") return [];
  const { name, state } = status;
  const remedy = renewal(name, "update");
  const expiry = expiryWarning(status, now);
  if (expiry !== undefined) return [{ secret: name, state, message: expiry, remedy }];
  const accessEnd = status.login?.accessTokenExpiresAt;
  if (!accessEnd || Date.parse(accessEnd) > now.getTime()) return [];
  const message =
    `the access token in ${name} expired on ${accessEnd.slice(0, 10)}; ` +
    "its refresh token may give a new one, if no other Codex has used that since";
  return [{ secret: name, state, message, remedy }];
}
