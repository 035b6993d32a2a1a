import type { CredentialKind } from "./credentials/credential.ts";
import type { CredentialDesk } from "./credentials/desk.ts";
import type { Grants } from "./credentials/grants.ts";
import type { AuthFailedEvent, GatewayEvent, QuotaEvent } from "./events.ts";
import { type Provider, providers } from "./routes/provider.ts";

/** What `sandbox auth` shows of one API. */
export interface ProviderAuth {
  provider: Provider;
  kind: CredentialKind;
  origin: string;
  /** Of a secret of the vault, once it was used. */
  lease: { id: string; expiresAt: string } | null;
  /** What the API last said about this credential, where that was no. */
  quota: QuotaEvent | null;
  authFailed: AuthFailedEvent | null;
}

export interface SandboxAuth {
  granted: boolean;
  grantedAt: string | null;
  credentials: ProviderAuth[];
  /** Why it is not known what there is. */
  trouble: string | null;
}

/** What is known of the credentials that sandboxes use. */
export class SandboxStates {
  readonly #desk: CredentialDesk;
  readonly #grants: Grants;
  readonly #quota = new Map<string, QuotaEvent>();
  readonly #authFailed = new Map<string, AuthFailedEvent>();

  constructor(desk: CredentialDesk, grants: Grants) {
    this.#desk = desk;
    this.#grants = grants;
  }

  /** The newest of each credential; an answered request ends it. */
  note(event: GatewayEvent): void {
    if (event.type === "quota") this.#quota.set(event.origin, event);
    if (event.type === "auth_failed") this.#authFailed.set(event.origin, event);
    if (event.type !== "request" || event.record.origin === null) return;
    const { outcome, status, origin } = event.record;
    if (outcome !== "answered" || status === null || status >= 400) return;
    this.#quota.delete(origin);
    this.#authFailed.delete(origin);
  }

  async of(sandboxId: string): Promise<SandboxAuth> {
    const granted = this.#grants.of(sandboxId);
    const each = await Promise.all(
      providers.map((provider) => this.#desk.find(provider, granted?.chosen[provider], granted)),
    );
    const trouble = each.find((found) => found !== undefined && "code" in found);
    const credentials = each
      .filter((found) => found !== undefined && "source" in found)
      .map(({ provider, source, origin }) => {
        const secret = source.from.place === "vault" ? source.from.secret : undefined;
        return {
          provider,
          kind: source.kind,
          origin,
          lease: (secret && granted?.leases[secret]) || null,
          quota: this.#quota.get(origin) ?? null,
          authFailed: this.#authFailed.get(origin) ?? null,
        };
      });
    return {
      granted: granted !== undefined,
      grantedAt: granted?.grantedAt ?? null,
      credentials,
      trouble: trouble ? `${trouble.message} ${trouble.remedy}` : null,
    };
  }
}
