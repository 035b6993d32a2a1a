import { createHash } from "node:crypto";
import type { LoginStore } from "./login.ts";
import type { CredentialSource } from "./vault-port.ts";

/** Requests that redeemed just before a renewal bring the login as it was; more than one renewal back is not seen. */
const remembered = 16;

/**
 * A login that is a secret of the vault. It is read only under a sandbox's lease, so whoever redeemed one shows what
 * it got; what we have replaced ourselves in the meantime is not taken for news.
 */
export class VaultLogin implements LoginStore {
  readonly origin: string;
  readonly #vault: Pick<CredentialSource, "update">;
  readonly #secret: string;
  readonly #replaced: string[] = [];
  #latest: string | undefined;

  constructor(vault: Pick<CredentialSource, "update">, secret: string, origin: string) {
    this.#vault = vault;
    this.#secret = secret;
    this.origin = origin;
  }

  see(text: string): void {
    if (!this.#replaced.includes(digest(text))) this.#latest = text;
  }

  async read() {
    return { ok: true, text: this.#latest } as const;
  }

  async obstacle() {
    return undefined;
  }

  async write(text: string): Promise<void> {
    const before = this.#latest;
    await this.#vault.update(this.#secret, text);
    if (before !== undefined) this.#replaced.push(digest(before));
    this.#replaced.splice(0, this.#replaced.length - remembered);
    this.#latest = text;
  }

  /** Nobody else renews what is in the vault. */
  async lock() {
    return async () => {};
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
