import type { GatewayCaller } from "../caller.ts";
import type { Refusal } from "../exchange/refusal.ts";
import type { Upstream } from "../exchange/upstream.ts";
import { type Provider, providerFacts } from "../routes/provider.ts";
import { chatgptFormat } from "./chatgpt-format.ts";
import { claudeFormat } from "./claude-format.ts";
import { codexKey } from "./codex-key.ts";
import { type Billing, lineCredential, type Resolved, refusedWith } from "./credential.ts";
import type { GivenKeys, KeyHolder } from "./given-keys.ts";
import type { Grant, Grants } from "./grants.ts";
import type { LoginFormat, LoginStore } from "./login.ts";
import { loginFile } from "./login-file.ts";
import { LoginKeeper } from "./login-keeper.ts";
import { keyForgotten, notALogin, notGranted, nothingFor } from "./refusals.ts";
import { givenVariable, originOf, preferred, type SourceFacts, sourcesFor } from "./sources.ts";
import { VaultLeases } from "./vault-leases.ts";
import { VaultLogin } from "./vault-login.ts";
import type { CredentialSource, VaultAnswer } from "./vault-port.ts";

/** A lease that we die with is over soon by itself. */
const glanceMs = 60_000;
const glanceHolder = "login check";

type Redeem = (secret: string, title: string) => Promise<VaultAnswer<string>>;

export interface DeskParts {
  env: NodeJS.ProcessEnv;
  vault: CredentialSource;
  grants: Grants;
  given: GivenKeys;
  upstream: Upstream;
  now: () => Date;
  leaseTtlMs: number;
  onRenewed: (origin: string) => void;
  onTrouble: (sentence: string) => void;
}

/** What there is for a provider, without its value. */
export interface Found {
  provider: Provider;
  source: SourceFacts;
  origin: string;
}

/** Hands out credentials: to a sandbox that was granted any, the one chosen for it, anew for each request. */
export class CredentialDesk {
  readonly #parts: DeskParts;
  readonly #sources: readonly SourceFacts[];
  readonly #leases: VaultLeases;
  readonly #keepers = new Map<string, LoginKeeper>();
  readonly #vaultLogins = new Map<string, VaultLogin>();

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#sources = sourcesFor(parts.env);
    this.#leases = new VaultLeases(parts);
  }

  async resolve(caller: GatewayCaller, provider: Provider, billing: Billing | undefined): Promise<Resolved> {
    const granted = this.#parts.grants.of(caller.sandboxId);
    if (!granted) return refusedWith(notGranted(caller));
    const key = billing ? `${provider}:${billing}` : provider;
    const { candidates, lost } = this.#tried(provider, billing, granted, granted.chosen[key]);
    const redeem: Redeem = (secret, title) => this.#leases.redeem(secret, caller, `${title} request`);
    const kept = candidates.find((source) => originOf(source) === granted.chosen[key]);
    if (kept) {
      const resolved = await this.#credential(kept, redeem);
      if (resolved) return resolved;
    }
    for (const source of candidates) {
      const there = await this.isThere(source);
      if (!there.ok) return there;
      const resolved = there.there ? await this.#credential(source, redeem) : undefined;
      if (!resolved) continue;
      this.#choose(granted, key, source);
      return resolved;
    }
    return refusedWith(lost ?? nothingFor(provider));
  }

  /** Which source of a provider is used: the one chosen before, else the first there is. */
  async find(
    provider: Provider,
    chosen: string | undefined,
    holder: KeyHolder | undefined,
  ): Promise<Found | Refusal | undefined> {
    const { candidates, lost } = this.#tried(provider, undefined, holder, chosen);
    const kept = candidates.find((source) => originOf(source) === chosen);
    if (kept) return { provider, source: kept, origin: originOf(kept) };
    for (const source of candidates) {
      const there = await this.isThere(source);
      if (!there.ok) return there.refusal;
      if (there.there) return { provider, source, origin: originOf(source) };
    }
    return lost;
  }

  /** Ends what was handed out to a sandbox. */
  async release(granted: Grant): Promise<void> {
    for (const { id } of Object.values(granted.leases)) await this.#parts.vault.revoke(id);
  }

  /** Without a sandbox to give it to: for whoever wants to know whether it is good. undefined where it is gone. */
  glance(source: SourceFacts): Promise<Resolved | undefined> {
    return this.#credential(source, (secret, title) => this.#glanceAt(secret, `is ${title}'s login good?`));
  }

  /** Where a provider's credential is looked for, in this order; without a sandbox, for any. */
  sources(provider: Provider, billing: Billing | undefined, holder?: KeyHolder): SourceFacts[] {
    const own = this.#sources.filter((source) => source.provider === provider);
    const all = own.flatMap((source) => [...this.#parts.given.before(source, holder), source]);
    return preferred(all, billing);
  }

  /** A key that was given with a sandbox and is lost is replaced by the same variable of ours, and by nothing else. */
  #tried(
    provider: Provider,
    billing: Billing | undefined,
    holder: KeyHolder | undefined,
    chosen: string | undefined,
  ): { candidates: SourceFacts[]; lost: Refusal | undefined } {
    const candidates = this.sources(provider, billing, holder);
    const name = givenVariable(chosen);
    if (!holder || name === undefined || candidates.some((source) => originOf(source) === chosen))
      return { candidates, lost: undefined };
    const same = candidates.filter(({ from }) => from.place === "variable" && from.name === name);
    return { candidates: same, lost: keyForgotten(name, holder.sandboxName) };
  }

  async isThere({
    from,
    provider,
  }: SourceFacts): Promise<{ ok: true; there: boolean } | { ok: false; refusal: Refusal }> {
    if (from.place === "variable") return { ok: true, there: Boolean(this.#parts.env[from.name]?.trim()) };
    if (from.place === "given")
      return { ok: true, there: this.#parts.given.value(from.sandboxId, from.name) !== undefined };
    if (from.place === "vault") {
      const names = await this.#parts.vault.names();
      return names.ok ? { ok: true, there: names.value.has(from.secret) } : names;
    }
    const read = await loginFile(from.path, undefined).read();
    if (!read.ok) return read;
    const text = read.text ?? "";
    if (from.place === "codex-key") return { ok: true, there: codexKey(text) !== undefined };
    return { ok: true, there: formatFor(provider).read(text) !== undefined };
  }

  /** undefined where it is not there any more and another may be chosen. */
  async #credential(source: SourceFacts, redeem: Redeem): Promise<Resolved | undefined> {
    const { from, kind, provider } = source;
    const origin = originOf(source);
    if (from.place === "variable") {
      const value = this.#parts.env[from.name];
      return value ? lineCredential(kind, origin, value) : undefined;
    }
    if (from.place === "given") {
      const value = this.#parts.given.value(from.sandboxId, from.name);
      return value === undefined ? undefined : lineCredential(kind, origin, value);
    }
    if (from.place === "login") return this.#keeper(source, loginFile(from.path, from.lock)).credential();
    if (from.place === "codex-key") {
      const read = await loginFile(from.path, undefined).read();
      if (!read.ok) return read;
      const key = codexKey(read.text ?? "");
      return key === undefined ? undefined : lineCredential(kind, origin, key);
    }
    const redeemed = await redeem(from.secret, providerFacts[provider].title);
    if (!redeemed.ok) return redeemed;
    if (kind !== "chatgpt_login") return lineCredential(kind, origin, redeemed.value);
    return this.#vaultLogin(source, from.secret, redeemed.value);
  }

  /** A lease for this one look, which is in the vault's audit as every other. */
  async #glanceAt(secret: string, purpose: string): Promise<VaultAnswer<string>> {
    const { vault } = this.#parts;
    const leased = await vault.lease(secret, { ttlMs: glanceMs, sandbox: glanceHolder });
    if (!leased.ok) return leased;
    try {
      return await vault.redeem(leased.value.id, { sandbox: glanceHolder, run: undefined, purpose });
    } finally {
      await vault.revoke(leased.value.id);
    }
  }

  /** The lease was good just now; the login is what it opened, and is renewed for all sandboxes at once. */
  async #vaultLogin(source: SourceFacts, secret: string, text: string): Promise<Resolved> {
    const origin = originOf(source);
    const store = this.#vaultLogins.get(origin) ?? new VaultLogin(this.#parts.vault, secret, origin);
    this.#vaultLogins.set(origin, store);
    store.see(text);
    return (await this.#keeper(source, store).credential()) ?? refusedWith(notALogin(secret));
  }

  #keeper(source: SourceFacts, store: LoginStore): LoginKeeper {
    const known = this.#keepers.get(store.origin);
    if (known) return known;
    const { env, upstream, now, onRenewed, onTrouble } = this.#parts;
    const format = formatFor(source.provider);
    const keeper = new LoginKeeper({ store, format, upstream, env, now, onRenewed, onTrouble });
    this.#keepers.set(store.origin, keeper);
    return keeper;
  }

  #choose({ sandboxId }: Grant, key: string, source: SourceFacts): void {
    this.#parts.grants.change(sandboxId, (latest) => ({
      ...latest,
      chosen: { ...latest.chosen, [key]: originOf(source) },
      providers: [...new Set([...latest.providers, source.provider])],
    }));
  }
}

function formatFor(provider: Provider): LoginFormat {
  return provider === "anthropic" ? claudeFormat : chatgptFormat;
}
