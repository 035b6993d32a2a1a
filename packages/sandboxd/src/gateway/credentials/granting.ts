import type { GatewayCaller } from "../caller.ts";
import { insideGateway, type Placeholders } from "../placeholders/placeholder.ts";
import { type BrokeredAgent, placeholdersFor } from "../placeholders/placeholders.ts";
import { type Provider, providerFacts, providers, upstreamUrl } from "../routes/provider.ts";
import { billingOf, type CredentialKind } from "./credential.ts";
import type { CredentialDesk, Found } from "./desk.ts";
import type { KeyHolder } from "./given-keys.ts";
import type { Grants } from "./grants.ts";

export interface Prepared extends Placeholders {
  /** What there is for which API; nothing where the user has to log in first. */
  credentials: { provider: Provider; kind: CredentialKind; origin: string }[];
  /** Why it is not known what there is: the vault cannot be opened, a login cannot be read. */
  trouble: string | null;
}

interface GrantingParts {
  env: NodeJS.ProcessEnv;
  grants: Grants;
  desk: CredentialDesk;
  now: () => Date;
}

/** Who may use the credentials of the host, and what such a sandbox finds in their place. */
export class Granting {
  readonly #parts: GrantingParts;

  constructor(parts: GrantingParts) {
    this.#parts = parts;
  }

  async prepare(
    caller: GatewayCaller,
    agents: Iterable<BrokeredAgent>,
    gateway = insideGateway,
  ): Promise<Prepared> {
    if (!this.#parts.grants.of(caller.sandboxId)) await this.grant(caller);
    const { found, trouble } = await this.#look(caller);
    const billing = (wanted: Provider) => {
      const kind = found.find(({ provider }) => provider === wanted)?.source.kind;
      return kind && billingOf(kind);
    };
    const openaiKey = billing("openai") !== undefined;
    const setting = {
      gateway,
      anthropic: billing("anthropic"),
      openai: billing("chatgpt") ?? billing("openai"),
      openaiKey,
      token: caller.token,
    };
    const credentials = found.map(({ provider, source, origin }) => ({
      provider,
      kind: source.kind,
      origin,
    }));
    return { ...placeholdersFor(agents, setting), credentials, trouble };
  }

  async grant({ sandboxId, sandboxName }: GatewayCaller): Promise<void> {
    const { grants, desk, now } = this.#parts;
    const before = grants.remove(sandboxId);
    if (before) await desk.release(before);
    const { found } = await this.#look({ sandboxId, sandboxName });
    grants.put({
      version: 1,
      sandboxId,
      sandboxName,
      grantedAt: now().toISOString(),
      providers: found.map(({ provider }) => provider),
      chosen: {},
      leases: {},
    });
  }

  async revoke(sandboxId: string): Promise<void> {
    const removed = this.#parts.grants.remove(sandboxId);
    if (removed) await this.#parts.desk.release(removed);
  }

  sandboxes(): string[] {
    return this.#parts.grants.sandboxes();
  }

  hosts(sandboxId: string): string[] {
    const { grants, env } = this.#parts;
    const hosts = (grants.of(sandboxId)?.providers ?? []).flatMap((provider) => {
      const upstream = upstreamUrl(env, provider);
      const other = upstream.ok && upstream.url.protocol === "https:" ? [upstream.url.hostname] : [];
      return [providerFacts[provider].host, ...other];
    });
    return [...new Set(hosts)];
  }

  async #look(holder: KeyHolder): Promise<{ found: Found[]; trouble: string | null }> {
    const { grants, desk } = this.#parts;
    const chosen = grants.of(holder.sandboxId)?.chosen ?? {};
    const each = await Promise.all(
      providers.map((provider) => desk.find(provider, chosen[provider], holder)),
    );
    const trouble = each.find((found) => found !== undefined && "code" in found);
    return {
      found: each.filter((found) => found !== undefined && "source" in found),
      trouble: trouble ? `${trouble.message} ${trouble.remedy}` : null,
    };
  }
}
