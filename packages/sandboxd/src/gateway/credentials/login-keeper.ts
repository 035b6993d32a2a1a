import type { Refusal } from "../exchange/refusal.ts";
import type { Upstream } from "../exchange/upstream.ts";
import { type RenewResult, type Resolved, refusedWith } from "./credential.ts";
import type { LoginFormat, LoginStore, LoginTokens } from "./login.ts";
import { askForToken } from "./token-endpoint.ts";

/** As the CLIs do: a token that ends within this time is renewed before it is used. */
const aheadMs = 5 * 60_000;

export interface LoginKeeperParts {
  store: LoginStore;
  format: LoginFormat;
  upstream: Upstream;
  env: NodeJS.ProcessEnv;
  now: () => Date;
  onRenewed: (origin: string) => void;
  onTrouble: (sentence: string) => void;
}

/**
 * The one who renews a login, for any number of sandboxes. Each use looks at what is kept now, because the user's own
 * CLI may have renewed it; one renewal runs at a time and all who need it wait for the same; a refresh token that was
 * refused is not tried again.
 */
export class LoginKeeper {
  readonly #parts: LoginKeeperParts;
  #renewing: Promise<RenewResult> | undefined;
  #refused: { refresh: string; refusal: Refusal } | undefined;
  /** Renewed, but it could not be kept: used until it can. */
  #unsaved: { before: string; text: string } | undefined;

  constructor(parts: LoginKeeperParts) {
    this.#parts = parts;
  }

  get origin(): string {
    return this.#parts.store.origin;
  }

  /** undefined where there is no such login. */
  async credential(): Promise<Resolved | undefined> {
    const read = await this.#read();
    if (!read.ok) return read;
    if (!read.login) return undefined;
    if (!this.#endsSoon(read.login)) return this.#usable(read.text);
    const renewed = await this.#renew(read.login.access);
    const latest = await this.#read();
    if (!latest.ok) return latest;
    if (!latest.login) return undefined;
    // One that could not be renewed may be good for its last minutes.
    if (!renewed.ok && this.#isOver(latest.login)) return renewed;
    return this.#usable(latest.text);
  }

  #usable(text: string): Resolved {
    const { format, store } = this.#parts;
    const access = format.read(text)?.access ?? "";
    const resolved = format.credential(text, store.origin);
    if (!resolved.ok) return resolved;
    return { ok: true, credential: { ...resolved.credential, renew: () => this.#renew(access) } };
  }

  /** `stale`: the access token that is of no use any more. */
  #renew(stale: string): Promise<RenewResult> {
    this.#renewing ??= this.#renewNow(stale).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewNow(stale: string): Promise<RenewResult> {
    const { store } = this.#parts;
    const obstacle = await store.obstacle();
    if (obstacle) return this.#failed(`${obstacle}, so it is not renewed here`);
    let unlock: () => Promise<void>;
    try {
      unlock = await store.lock();
    } catch (error) {
      return this.#failed(error instanceof Error ? error.message : String(error));
    }
    try {
      return await this.#renewLocked(stale);
    } finally {
      await unlock();
    }
  }

  async #renewLocked(stale: string): Promise<RenewResult> {
    const { store, format, upstream, env, now, onRenewed, onTrouble } = this.#parts;
    const read = await this.#read();
    if (!read.ok) return read;
    const { login, text } = read;
    if (!login) return this.#failed("it is gone");
    if (login.access !== stale && !this.#isOver(login)) return { ok: true };
    if (!login.refresh) return this.#failed("it has run out and cannot be renewed");
    if (this.#refused?.refresh === login.refresh) return refusedWith(this.#refused.refusal);
    const asked = await askForToken(upstream, format.request(text, env));
    if (asked.outcome === "unreachable")
      return this.#failed(`it could not be renewed: ${asked.reason}`, "unreachable");
    const next = asked.outcome === "renewed" ? format.renewed(text, asked.answer, now()) : undefined;
    if (next === undefined) {
      const why =
        asked.outcome === "refused" ? `was refused (${asked.status})` : "was answered with something else";
      const failed = this.#failed(`its renewal ${why}`);
      this.#refused = { refresh: login.refresh, refusal: failed.refusal };
      return failed;
    }
    this.#unsaved = { before: text, text: next };
    await store.write(next).then(
      () => {
        this.#unsaved = undefined;
      },
      () =>
        onTrouble(
          `the renewed login could not be kept in ${store.origin}; it is tried again with the next request`,
        ),
    );
    onRenewed(store.origin);
    return { ok: true };
  }

  async #read(): Promise<
    { ok: true; text: string; login: LoginTokens | undefined } | { ok: false; refusal: Refusal }
  > {
    const { store, format } = this.#parts;
    const read = await store.read();
    if (!read.ok) return read;
    const unsaved = this.#unsaved;
    if (unsaved && read.text === unsaved.before) {
      await store.write(unsaved.text).catch(() => {});
      return { ok: true, text: unsaved.text, login: format.read(unsaved.text) };
    }
    this.#unsaved = undefined;
    const text = read.text ?? "";
    return { ok: true, text, login: format.read(text) };
  }

  #endsSoon({ expiresAt }: LoginTokens): boolean {
    return expiresAt !== undefined && expiresAt.getTime() - this.#parts.now().getTime() < aheadMs;
  }

  #isOver({ expiresAt }: LoginTokens): boolean {
    return expiresAt !== undefined && expiresAt.getTime() <= this.#parts.now().getTime();
  }

  #failed(why: string, cause: "expired" | "unreachable" = "expired"): { ok: false; refusal: Refusal } {
    const { store, format } = this.#parts;
    return refusedWith({
      code: "login",
      message: `The login in ${store.origin} cannot be used: ${why}.`,
      remedy: `Log in anew on the host with \`${format.command}\`.`,
      cause,
    });
  }
}
